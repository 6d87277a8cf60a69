using System.Buffers;
using System.Text;
using System.Text.RegularExpressions;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Runs the programs of docs/logs-and-interchange.md, docs/plots.md and docs/prometheus.md.</summary>
[Collection(ConsoleOutput.Collection)]
public sealed partial class ExportGuideTests : IDisposable
{
    private readonly string _former = Directory.GetCurrentDirectory();
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-guides-").FullName;

    // Some programs write to the current folder.
    public ExportGuideTests() => Directory.SetCurrentDirectory(_folder);

    public void Dispose()
    {
        Directory.SetCurrentDirectory(_former);
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void The_first_program_prints_the_intervals_of_the_log()
    {
        ConsoleOutput.LinesOf(() => LogsGuide.FirstAsync().GetAwaiter().GetResult())
            .Should().HaveCountGreaterThan(1).And.OnlyContain(line => IntervalLine().IsMatch(line));
    }

    [Fact]
    public async Task A_recorded_log_is_merged_by_tag()
    {
        HdrHistogram latency = HdrHistogram.Create();
        HdrHistogram queueing = HdrHistogram.Factory.WithSignificantDigits(3).Create();
        await LogsGuide.RecordingAsync("latency.hlog", latency, queueing, () =>
        {
            latency.Record(1_000_000);
            queueing.Record(2_000_000, 7);
        });

        HdrHistogram? merged = null;
        ConsoleOutput.Of(() => merged = LogsGuide.Merging("latency.hlog")).Should().Contain("#[Max     =     2000.895, Total count    =            7]");
        merged!.TotalCount.Should().Be(7);

        // The default precision has a smaller relative error after decoding.
        HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(latency)).RelativeError.Should().BeApproximately(0.0005, 0.00002).And.BeLessThan(latency.RelativeError);

        queueing.Reset();
        using var empty = new MemoryStream();
        new HdrHistogramLogWriter(empty).WriteInterval(queueing, DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddSeconds(1), "queueing");
        empty.Length.Should().BeInRange(70, 90, "the guide states that an empty interval is a line of about 80 bytes");
    }

    [Fact]
    public void A_damaged_log_is_read_completely()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(5, 3);
        LogsGuide.ByHand("log.hlog", histogram, DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddSeconds(1));
        string whole = File.ReadLines("log.hlog").Last();
        whole.Should().StartWith("Tag=converted,");
        File.AppendAllText("log.hlog", $"nonsense\n{whole}\n");

        LogsGuide.Damaged("log.hlog")!.TotalCount.Should().Be(6);
    }

    [Fact]
    public void The_plots_and_the_report_are_written()
    {
        PlotsGuide.Plots().Split("<svg ").Should().HaveCount(3);
        File.ReadAllText("latency.html").Should().StartWith("<!DOCTYPE html>").And.Contain("-20.0%").And.EndWith("</html>\n");
        File.ReadAllText("percentiles.svg").Should().StartWith("<svg ").And.EndWith("</svg>\n");
    }

    [Fact]
    public void The_exposition_and_the_number_of_series_are_those_of_the_guide()
    {
        string[] lines = ConsoleOutput.Of(PrometheusGuide.Exposition).Split('\n');

        string guide = Markdown.Of("docs/prometheus.md").Text;
        string shown = guide[guide.IndexOf("# HELP queue_wait", StringComparison.Ordinal)..];
        shown = shown[..shown.IndexOf("```", StringComparison.Ordinal)];
        shown.Split('\n').Where(line => line is not "" and not "...").Should().HaveCount(7).And.BeSubsetOf(lines);

        ArrayBufferWriter<byte> output = new();
        MatchCollection rows = SeriesRow().Matches(guide);
        rows.Should().HaveCount(3);
        foreach ((Match row, double relativeError) in rows.Zip([0.125, 0.25, 0.5]))
        {
            output.ResetWrittenCount();
            HdrHistogramRegistration[] registrations = [new("x", HdrHistogram.Create(), HdrHistogramDescription.Nanoseconds)];
            new PrometheusWriter(relativeError).WriteHistograms(output, PrometheusFormat.Text, registrations);
            Encoding.UTF8.GetString(output.WrittenSpan).Split('\n').Count(line => line.StartsWith("x_seconds", StringComparison.Ordinal))
                .ToString(System.Globalization.CultureInfo.InvariantCulture).Should().Be(row.Groups[1].Value, "the guide states this number for {0}", relativeError);
        }
    }

    [GeneratedRegex("^[0-9]{1,2}:[0-9]{2}:[0-9]{2}.* [0-9,]+$")]
    private static partial Regex IntervalLine();

    [GeneratedRegex(@"^\| `new PrometheusWriter.* \| ([0-9]+) \|$", RegexOptions.Multiline)]
    private static partial Regex SeriesRow();
}
