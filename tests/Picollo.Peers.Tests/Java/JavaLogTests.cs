using System.Globalization;
using System.Text;
using Picollo.Export;
using Picollo.Metrics;
using static System.FormattableString;

namespace Picollo.Peers.Tests.Java;

[Trait("Category", "Long")]
public sealed class JavaLogTests : IDisposable
{
    private static readonly string Valid = Convert.ToBase64String(HdrHistogramEncoding.EncodeCompressed(Three()));

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-java-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [TheoryNeeding(Need.Java)]
    [InlineData("jHiccup-2.0.1.logV0.hlog", 81)]
    [InlineData("jHiccup-2.0.6.logV1.hlog", 88)]
    [InlineData("jHiccup-2.0.7S.logV2.hlog", 62)]
    [InlineData("tagged-Log.logV2.hlog", 42)]
    public void Logs_of_Java_are_read_interval_by_interval(string name, int intervals)
    {
        string path = Path.Combine(Repository.Root, "tests", "Picollo.Export.Tests", "Logs", "Data", name);
        SameAsJava(path).Should().Be(intervals);
    }

    // The base of the timestamps, and the possible formats of lines.
    [TheoryNeeding(Need.Java)]
    [InlineData("#[StartTime: 1000000000.500 (seconds since epoch), x]\n#[BaseTime: 1000000000.250 x]\n0.125,1,1,@\n")]
    [InlineData("#[StartTime: 1000000000.5 x]\n0.125,1,1,@\n")]
    [InlineData("#[StartTime: 1000000000.5 x]\n968464000.499,1,1,@\n")]
    [InlineData("#[StartTime: 1000000000.5 x]\n968464000.5,1,1,@\n")]
    [InlineData("#[StartTime: 1000000000.5 x]\n968464000.501,1,1,@\n")]
    [InlineData("#[StartTime: 1000000000.5 x]\n1000000001.5,1,1,@\n")]
    [InlineData("#[BaseTime: 1000000000.25 x]\n5,1,1,@\n")]
    [InlineData("1000000001.5,1,1,@\n1000000002.5,1,1,@\n")]
    [InlineData("0.5,1,1,@\n1.5,1,1,@\n")]
    [InlineData("#[StartTime: 1000 x]\n1001,1,1,@\n#[StartTime: 2000 x]\n2001,1,1,@\n#[BaseTime: 5 x]\n2,1,1,@\n")]
    [InlineData("#[StartTime: soon\n0.5,1,1,@\n")]
    [InlineData("#[StartTime:5 x]\n0.5,1,1,@\n")]
    [InlineData("#[StartTime: 1000000000\n0.5,1,1,@\n")]
    [InlineData(" #[StartTime: 1000000000 x]\n 0.5,1,1,@\n,0.75,1,1,@\n")]
    [InlineData("#a\r\n\"StartTimestamp\",\"x\"\r\n#b Tag=x,1,2,3,@\r\nTag=a,1,1,1,@\r\nTag=b 2 1 1 @ and more\r\nTag=,3,1,1,@,more\r\n\r\n")]
    [InlineData("1,1,1,@\n\n2,1,1,@\n\n\n")]
    [InlineData("+1,1.,.5,@\n1e1,1E0,1,@\n")]
    [InlineData("1,1,1,@\nnonsense\n2,1,1,@\n3,1,x,@\n4,1,1,?\n5,1,1,@\nTag=x,6,1,1,@\n")]
    [InlineData("1,,1,1,@\n2,1,1,@\n")]
    [InlineData("5,1,1,@\n1,-0.5,1,@\n")]
    [InlineData("")]
    public void Lines_and_times_are_read_as_Java_reads_them(string log)
    {
        string path = Path.Combine(_folder, "a.hlog");
        File.WriteAllText(path, log.Replace("@", Valid, StringComparison.Ordinal));
        SameAsJava(path);
    }

    [FactNeeding(Need.Java)]
    public void Each_implementation_reads_the_logs_of_the_other()
    {
        (string ours, string javas, int intervals) = WriteBoth(new Random(20261121));

        SameAsJava(ours).Should().Be(intervals);
        SameAsJava(javas).Should().Be(intervals);
        JavaLibrary.Run("Logs", "read", ours).Should().Be(JavaLibrary.Run("Logs", "read", javas));

        // Except the compressed bytes, which depend on the zlib implementation, and the comments of the writer.
        LinesOf(ours).Should().Equal(LinesOf(javas));
    }

    /// <summary>Creates a log of each implementation with the same histograms.</summary>
    private (string Ours, string Javas, int Intervals) WriteBoth(Random random)
    {
        const int Intervals = 60;
        string source = Path.Combine(_folder, "source");
        string ours = Path.Combine(_folder, "ours.hlog");
        string javas = Path.Combine(_folder, "javas.hlog");
        DateTimeOffset start = new(2026, 11, 21, 9, 8, 7, 65, TimeSpan.Zero);
        var text = new StringBuilder(Invariant($"{ToMilliseconds(start)}\n"));
        using (var log = new HdrHistogramLogWriter(ours))
        {
            log.WriteHeader(start);
            for (int i = 0; i < Intervals; i++)
            {
                string tag = random.Next(3) switch { 0 => "a", 1 => "b", _ => "" };
                DateTimeOffset begin = start.AddMilliseconds((i * 1000) + random.Next(1000));
                int length = random.Next(2000);
                const int Digits = 3;
                const ulong Highest = 3_600_000_000_000;
                HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(Digits).WithMaxTrackableValue(Highest).Create();
                text.Append(Invariant($"{tag};{ToMilliseconds(begin)};{length};{Digits};{Highest};"));
                for (int n = random.Next(300); n > 0; n--)
                {
                    ulong value = (ulong)random.NextInt64((long)Highest) >> random.Next(42);
                    long count = 1 + (random.NextInt64(long.MaxValue) >> random.Next(30, 63));
                    histogram.Record(value, (ulong)count);
                    text.Append(Invariant($"{value}x{count} "));
                }

                text.Append('\n');
                log.WriteInterval(histogram, begin, begin.AddMilliseconds(length), tag.Length == 0 ? null : tag);
            }
        }

        File.WriteAllText(source, text.ToString());
        JavaLibrary.Run("Logs", "write", source, javas);
        return (ours, javas, Intervals);
    }

    private static PlainHdrHistogram<uint> Three()
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(1_000_000).Create();
        histogram.Record([1, 1000, 999_999]);
        return histogram;
    }

    private static IEnumerable<string> LinesOf(string log) =>
        File.ReadLines(log).Select(line => line.StartsWith('#') ? line : line[..line.LastIndexOf(',')]);

    private static int SameAsJava(string path)
    {
        string[] javas = JavaLibrary.Run("Logs", "read", path).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        using var log = new HdrHistogramLogReader(path);
        int read = 0;
        while (ReadPastWrongLines(log) is { } interval)
        {
            read.Should().BeLessThan(javas.Length, "Java does not read more intervals");
            string[] fields = javas[read++].Split(';');
            (interval.Tag ?? "null").Should().Be(fields[0]);

            // Java adds doubles and truncates milliseconds.
            ToMilliseconds(interval.StartTime).Should().BeCloseTo(Number(fields[1]), 1);
            ToMilliseconds(interval.StartTime + interval.Length).Should().BeCloseTo(Number(fields[2]), 1);
            ToMilliseconds(log.StartTime!.Value).Should().Be(Number(fields[3]));
            interval.Histogram.TotalCount.Should().Be((ulong)Number(fields[4]));

            (ulong Median, ulong Count)[] buckets = [.. fields[6].Split(' ', StringSplitOptions.RemoveEmptyEntries)
                .Select(bucket => bucket.Split('x')).Select(pair => ((ulong)Number(pair[0]), (ulong)Number(pair[1])))];
            interval.Histogram.BucketsWithValues.Select(bucket => bucket.Count).Should().Equal(buckets.Select(bucket => bucket.Count));
            buckets.Should().OnlyContain(bucket => interval.Histogram.GetBucket(bucket.Median).Count == bucket.Count);
        }

        read.Should().Be(javas.Length);
        return read;
    }

    private static HdrHistogramLogInterval? ReadPastWrongLines(HdrHistogramLogReader log)
    {
        while (true)
        {
            try
            {
                return log.Read();
            }
            catch (FormatException)
            {
                // Java returns no interval, or throws, and continues, too.
            }
        }
    }

    private static long ToMilliseconds(DateTimeOffset time) => (time - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMillisecond;

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
