import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

/** Reads and writes interval logs with the library. */
public class Logs {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        switch (args[0]) {
            case "read": read(args[1], out); break;
            case "write": write(args[1], args[2]); break;
            default: throw new IllegalArgumentException(args[0]);
        }
        out.flush();
    }

    /** Prints a line for each interval: tag, start and end in milliseconds, the start of the log, total, maximum, and median and count of each bucket. */
    private static void read(String path, PrintStream out) throws Exception {
        HistogramLogReader reader = new HistogramLogReader(path);
        while (reader.hasNext()) {
            Histogram histogram;
            try {
                histogram = (Histogram) reader.nextIntervalHistogram();
            } catch (RuntimeException e) {
                continue;
            }
            if (histogram == null) {
                continue;
            }
            StringBuilder line = new StringBuilder();
            line.append(histogram.getTag()).append(';').append(histogram.getStartTimeStamp()).append(';').append(histogram.getEndTimeStamp());
            line.append(';').append(Math.round(reader.getStartTimeSec() * 1000)).append(';').append(histogram.getTotalCount());
            line.append(';').append(histogram.getMaxValue()).append(';');
            for (HistogramIterationValue value : histogram.recordedValues()) {
                line.append(histogram.medianEquivalentValue(value.getValueIteratedTo())).append('x').append(value.getCountAtValueIteratedTo()).append(' ');
            }
            out.println(line);
        }
    }

    /** Reads lines of "tag;start;length;digits;highest;value x count …" with times in milliseconds. The first line is the start of the log. */
    private static void write(String source, String path) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(source));
        HistogramLogWriter writer = new HistogramLogWriter(path);
        long start = Long.parseLong(lines.get(0));
        writer.outputLogFormatVersion();
        writer.outputStartTime(start);
        writer.outputBaseTime(start);
        writer.setBaseTime(start);
        writer.outputLegend();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split(";", -1);
            Histogram histogram = new Histogram(1, Long.parseLong(fields[4]), Integer.parseInt(fields[3]));
            histogram.setTag(fields[0].isEmpty() ? null : fields[0]);
            histogram.setStartTimeStamp(Long.parseLong(fields[1]));
            histogram.setEndTimeStamp(Long.parseLong(fields[1]) + Long.parseLong(fields[2]));
            for (String value : fields[5].split(" ")) {
                if (!value.isEmpty()) {
                    String[] pair = value.split("x");
                    histogram.recordValueWithCount(Long.parseLong(pair[0]), Long.parseLong(pair[1]));
                }
            }
            writer.outputIntervalHistogram(histogram);
        }
        writer.close();
    }
}
