import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** Encodes and decodes histograms with the library, one per line. */
public class Codec {
    private static final double[] PERCENTILES = {0, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 99.999, 100};

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false);
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            out.println(args[0].equals("write") ? write(line) : describe(decode(line)));
        }
        out.flush();
    }

    /** Reads "digits;lowest;highest;value x count …" (highest 0 for a histogram that resizes itself). Prints the encoded histogram, the compressed one, and its values. */
    private static String write(String line) {
        String[] fields = line.split(";", -1);
        int digits = Integer.parseInt(fields[0]);
        long highest = Long.parseLong(fields[2]);
        Histogram histogram = highest == 0 ? new Histogram(digits) : new Histogram(Long.parseLong(fields[1]), highest, digits);
        for (String value : fields[3].split(" ")) {
            if (!value.isEmpty()) {
                String[] pair = value.split("x");
                histogram.recordValueWithCount(Long.parseLong(pair[0]), Long.parseLong(pair[1]));
            }
        }
        ByteBuffer plain = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        ByteBuffer compressed = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity() + 1000);
        int length = histogram.encodeIntoByteBuffer(plain);
        int compressedLength = histogram.encodeIntoCompressedByteBuffer(compressed);
        return base64(plain, length) + ";" + base64(compressed, compressedLength) + ";" + describe(histogram);
    }

    private static Histogram decode(String base64) throws Exception {
        ByteBuffer encoded = ByteBuffer.wrap(Base64.getDecoder().decode(base64));
        boolean compressed = (encoded.get(3) & 0xf) == 4;
        return compressed ? Histogram.decodeFromCompressedByteBuffer(encoded, 0) : Histogram.decodeFromByteBuffer(encoded, 0);
    }

    /** Returns the total count, minimum, maximum, mean and standard deviation; the percentiles; and the middle and count of each bucket. */
    private static String describe(Histogram histogram) {
        StringBuilder line = new StringBuilder();
        line.append(histogram.getTotalCount()).append(' ').append(histogram.getMinValue()).append(' ').append(histogram.getMaxValue());
        line.append(' ').append(histogram.getMean()).append(' ').append(histogram.getStdDeviation()).append(';');
        for (double percentile : PERCENTILES) {
            line.append(histogram.getValueAtPercentile(percentile)).append(' ');
        }
        line.append(';');
        for (HistogramIterationValue value : histogram.recordedValues()) {
            line.append(histogram.medianEquivalentValue(value.getValueIteratedTo())).append('x').append(value.getCountAtValueIteratedTo()).append(' ');
        }
        return line.toString();
    }

    private static String base64(ByteBuffer buffer, int length) {
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
