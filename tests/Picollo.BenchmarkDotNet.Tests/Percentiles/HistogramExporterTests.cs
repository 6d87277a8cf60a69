using System.Xml.Linq;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Tests.Runs;
using Picollo.BenchmarkDotNet.Tests.Workloads;
using Picollo.Export;

namespace Picollo.BenchmarkDotNet.Tests.Percentiles;

public sealed class ExportRun() : BenchmarkRun(
    ManualConfig.CreateEmpty().AddJob(Unrepeated()).AddJob(Unrepeated().WithId("Again").WithIterationCount(4)),
    typeof(TailWorkloads), typeof(ChainWorkload));

/// <summary>The files of a run with two jobs.</summary>
[Trait("Category", "Slow")]
public sealed class HistogramExporterTests(ExportRun run) : IClassFixture<ExportRun>
{
    private readonly Summary _summary = run.Of<TailWorkloads>();

    private static readonly string[] Benchmarks =
    [
        "TwoSlowInAHundred {0} [Name=a, b]", "FiveAtOnce {0} [Name=a, b]", "Awaits {0} [Name=a, b, milliseconds=1]", "Awaits {0} [Name=a, b, milliseconds=3]",
    ];

    private static readonly string[] Jobs = ["Unrepeated", "Again"];

    private static IEnumerable<string> Names => Benchmarks.SelectMany(_ => Jobs, (name, job) => name.Replace("{0}", job, StringComparison.Ordinal));

    [Fact]
    public void Files_are_written_only_for_classes_with_percentiles()
    {
        string name = "Picollo.BenchmarkDotNet.Tests.Workloads.TailWorkloads-percentiles";
        Directory.GetFiles(_summary.ResultsDirectoryPath).Select(Path.GetFileName).Should().BeEquivalentTo($"{name}.hlog", $"{name}.svg", $"{name}.html");
        run.Log.Should().Contain($"{name}.hlog").And.Contain($"{name}.svg").And.Contain($"{name}.html");
    }

    [Fact]
    public void The_log_has_a_tagged_interval_for_each_benchmark()
    {
        using HdrHistogramLogReader log = new(PathOf("hlog"));
        HdrHistogramLogInterval[] intervals = [.. log.ReadAll()];

        intervals.Select(interval => interval.Tag).Should().BeEquivalentTo(Names.Select(name => name.Replace(' ', '_').Replace(',', '_')));
        intervals.Should().OnlyContain(interval => interval.StartTime >= log.StartTime, "the log starts with the first benchmark that ran");
        foreach (HdrHistogramLogInterval interval in intervals)
        {
            interval.Histogram.TotalCount.Should().Be(interval.Tag!.Contains("_Again_", StringComparison.Ordinal) ? 4u : 3u);
        }

        MeasuredHistogram.FromSummary(_summary).Single().Select(one => one.Histogram.GetPercentileValue(100)).Should()
            .Equal(intervals.Select(interval => interval.Histogram.GetPercentileValue(100)), "the log has the order of the summary");
    }

    [Fact]
    public void Separators_in_tags_are_replaced()
    {
        using BenchmarkRun described = new(ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Unrepeated()), typeof(DescribedWorkload));
        using HdrHistogramLogReader log = new(Directory.GetFiles(described.Summary.ResultsDirectoryPath, "*.hlog").Single());
        log.ReadAll().Single().Tag.Should().NotMatchRegex("[,\\s\\p{Cc}]").And.Contain("a_b");
    }

    [Fact]
    public void The_plot_contains_all_benchmarks_of_the_class()
    {
        XDocument svg = XDocument.Load(PathOf("svg"));
        svg.Root!.Name.LocalName.Should().Be("svg");
        string[] texts = [.. svg.Descendants().Where(element => element.Name.LocalName is "text" or "tspan").Select(element => element.Value)];
        foreach (string name in Names.Append("Picollo.BenchmarkDotNet.Tests.Workloads.TailWorkloads"))
        {
            texts.Should().Contain(text => text.Contains(name, StringComparison.Ordinal));
        }
    }

    [Fact]
    public void The_page_lists_all_benchmarks_of_the_class()
    {
        string html = System.Net.WebUtility.HtmlDecode(File.ReadAllText(PathOf("html")));
        foreach (string name in Names)
        {
            html.Should().Contain(name);
        }
    }

    [Fact]
    public void Nothing_is_written_to_the_log_of_the_run()
    {
        global::BenchmarkDotNet.Loggers.AccumulationLogger log = new();
        new HistogramExporter().ExportToLog(_summary, log);
        log.GetLog().Should().BeEmpty();
    }

    [Fact]
    public void An_unwritable_file_is_reported_and_the_others_are_written()
    {
        string page = PathOf("html");
        string kept = File.ReadAllText(page);
        File.Delete(page);
        Directory.CreateDirectory(page);
        try
        {
            global::BenchmarkDotNet.Loggers.AccumulationLogger log = new();
            new HistogramExporter().ExportToFiles(_summary, log).Should().Equal(PathOf("hlog"), PathOf("svg"));
            log.GetLog().Should().StartWith($"Not written: {page}: ");
        }
        finally
        {
            Directory.Delete(page);
            File.WriteAllText(page, kept);
        }
    }

    private string PathOf(string extension) => Directory.GetFiles(_summary.ResultsDirectoryPath, $"*.{extension}").Single();
}
