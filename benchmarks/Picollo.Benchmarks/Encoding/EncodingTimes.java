import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.HdrHistogram.Histogram;

/** Measures the library's codec with the histogram of a file. Prints the median and minimum nanoseconds of each call in a line, and the compressed size. */
public class EncodingTimes {
    private static final long WARM_UP_NANOSECONDS = 3_000_000_000L;
    private static final int REPETITIONS = 401;

    private static Object kept;

    interface Operation {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        ByteBuffer encoded = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[0])));
        Histogram histogram = Histogram.decodeFromByteBuffer(encoded, 0);
        ByteBuffer target = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        ByteBuffer compressed = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(compressed);
        ByteBuffer source = ByteBuffer.wrap(Arrays.copyOf(compressed.array(), length));

        // A line with sizes instead of times. The library's default is level 6 of zlib.
        System.out.println("java\tcompressed bytes\t" + length + "\t" + length);
        time("encode", 10, () -> {
            target.clear();
            histogram.encodeIntoByteBuffer(target);
        });
        time("decode", 10, () -> {
            encoded.rewind();
            kept = Histogram.decodeFromByteBuffer(encoded, 0);
        });
        time("encode compressed", 1, () -> {
            compressed.clear();
            histogram.encodeIntoCompressedByteBuffer(compressed);
        });
        time("decode compressed", 10, () -> {
            source.rewind();
            kept = Histogram.decodeFromCompressedByteBuffer(source, 0);
        });
    }

    private static void time(String name, int operations, Operation operation) throws Exception {
        for (long start = System.nanoTime(); System.nanoTime() - start < WARM_UP_NANOSECONDS; ) {
            operation.run();
        }
        double[] samples = new double[REPETITIONS];
        for (int i = 0; i < REPETITIONS; i++) {
            long start = System.nanoTime();
            for (int n = 0; n < operations; n++) {
                operation.run();
            }
            samples[i] = (System.nanoTime() - start) / (double) operations;
        }
        Arrays.sort(samples);
        System.out.println("java\t" + name + "\t" + samples[REPETITIONS / 2] + "\t" + samples[0]);
    }
}
