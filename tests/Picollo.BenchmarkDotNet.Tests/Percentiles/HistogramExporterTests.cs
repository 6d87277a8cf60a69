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
    typeof(TailWorkloads), typeof(KernelFaultsNotCounted));

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
        intervals.Should().OnlyContain(interval => interval.StartTime >= log.StartTime, "the log starts with the first benchmark that ran")
            .And.OnlyContain(interval => interval.Histogram.TotalCount == (interval.Tag!.Contains("_Again_", StringComparison.Ordinal) ? 4u : 3u));
        MeasuredHistogram.FromSummary(_summary).Single().Select(one => one.Histogram.GetPercentileValue(100)).Should()
            .Equal(intervals.Select(interval => interval.Histogram.GetPercentileValue(100)), "the log has the order of the summary");

        using BenchmarkRun described = new(ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Unrepeated()), typeof(DescribedWorkload));
        using HdrHistogramLogReader other = new(Directory.GetFiles(described.Summary.ResultsDirectoryPath, "*.hlog").Single());
        other.ReadAll().Single().Tag.Should().NotMatchRegex("[,\\s\\p{Cc}]").And.Contain("a_b");
    }

    [Fact]
    public void The_plot_and_the_page_contain_all_benchmarks_of_the_class()
    {
        string[] texts = [.. XDocument.Load(PathOf("svg")).Descendants().Where(element => element.Name.LocalName is "text" or "tspan").Select(element => element.Value)];
        string page = System.Net.WebUtility.HtmlDecode(File.ReadAllText(PathOf("html")));
        texts.Should().Contain(text => text.Contains("Picollo.BenchmarkDotNet.Tests.Workloads.TailWorkloads", StringComparison.Ordinal));
        foreach (string name in Names)
        {
            texts.Should().Contain(text => text.Contains(name, StringComparison.Ordinal));
            page.Should().Contain(name);
        }
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
