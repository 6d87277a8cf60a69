import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** Prints the results of iterators, subtract and the later correction for lines of "step;first;base;interval;base64;base64 of a part". */
public class Operations {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false);
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] fields = line.split(";");
            Histogram histogram = decode(fields[4]);
            print(out, histogram.linearBucketValues(Long.parseLong(fields[0])));
            print(out, histogram.logarithmicBucketValues(Long.parseLong(fields[1]), Double.parseDouble(fields[2])));
            print(out, histogram.copyCorrectedForCoordinatedOmission(Long.parseLong(fields[3])).recordedValues());
            histogram.subtract(decode(fields[5]));
            print(out, histogram.recordedValues());
        }
        out.flush();
    }

    private static Histogram decode(String text) throws Exception {
        return Histogram.decodeFromByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
    }

    private static void print(PrintStream out, Iterable<HistogramIterationValue> values) {
        for (HistogramIterationValue value : values) {
            out.print(value.getValueIteratedTo() + "x" + value.getCountAddedInThisIterationStep() + " ");
        }
        out.print("\n");
    }
}
