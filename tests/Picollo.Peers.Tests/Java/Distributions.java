import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/** Prints the percentile distributions as text and as CSV. Input lines are "ticks;ratio;base64". */
public class Distributions {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false);
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] fields = line.split(";");
            Histogram histogram = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(fields[2])), 0);
            int ticks = Integer.parseInt(fields[0]);
            double ratio = Double.parseDouble(fields[1]);
            histogram.outputPercentileDistribution(out, ticks, ratio);
            out.print("--\n");
            histogram.outputPercentileDistribution(out, ticks, ratio, true);
            out.print("--\n");
        }
        out.flush();
    }
}
