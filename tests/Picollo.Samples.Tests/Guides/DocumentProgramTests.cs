using System.Buffers;
using System.Text;
using System.Text.RegularExpressions;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Runs programs of the documents, and compares their output with the documents.</summary>
[Collection(ConsoleOutput.Collection)]
[Trait("Category", "Slow")]
public sealed partial class DocumentProgramTests : IDisposable
{
    private const string Logs = "docs/logs-and-interchange.md";

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-guides-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("docs/clocks-and-scopes.md", 0, @"^[0-9,.]+ ns\n$")]
    [InlineData("docs/cpu-time.md", 0, @"^CPU usage: [0-9.]+ ..? \(user [0-9.]+ ..?, kernel [0-9.]+ ..?\)\n$")]
    [InlineData("docs/cpu-time.md", 3, @"^[0-9.]+ .?s \(user .*\) in [0-9.]+ ms, [0-2] switches\n$")]
    [InlineData("docs/cpu-time.md", 5, "^$")]
    [InlineData("docs/cpu-time.md", 6, "^CPU usage of a request: .*; thread switches:\n")]
    [InlineData("docs/histogram.md", 0, "^[0-9]+\n##### Latency, ns\n")]
    [InlineData("docs/histogram.md", 5, "^2: 1\n3: 3\n$", "WriteCumulative(Console.Out, histogram);")]
    [InlineData("docs/meters.md", 0, "order.duration{country=\"de\"}: p99 0.9[89] s")]
    [InlineData("docs/migrating.md", 0, "^ThreadLocalHdrHistogram`1$", "Console.Write(histogram.GetType().Name);")]
    [InlineData("docs/migrating.md", 2, @"^ *Value +Percentile +TotalCount +1/\(1-Percentile\)\n")]
    [InlineData("docs/migrating.md", 3, "^CPU Usage: .*\n.*the import")]
    [InlineData("docs/platforms.md", 0, "^0$", "Console.Write(watched.Count);")]
    [InlineData("docs/scheduling.md", 2, "^$")]
    [InlineData("docs/scheduling.md", 3, "^5 5$", "Console.Write($\"{inPool} {inTest}\");")]
    [InlineData("docs/scheduling.md", 4, "^[0-9,]+ ns in the queue\n")]
    public void A_program_prints_what_the_document_describes(string path, int block, string pattern, string next = "") =>
        Run(path, block, next).Should().MatchRegex(pattern);

    /// <summary>The comment after <c>Console.WriteLine</c> is what it prints.</summary>
    [Theory]
    [InlineData("docs/cpu-time.md", 2)]
    [InlineData("docs/histogram.md", 2)]
    [InlineData("docs/scheduling.md", 0)]
    public void A_constant_output_is_in_the_comment(string path, int block) => Markdown.Of(path).CodeBlocks.ElementAt(block)
        .Should().Contain("// " + Run(path, block).Split('\n')[0].Replace($"{int.MaxValue}", "4711", StringComparison.Ordinal));

    [Theory]
    [InlineData("README.md", 0, 7)]
    [InlineData("docs/histogram.md", 2, 10)]
    [InlineData("docs/prometheus.md", 0, 6)]
    public void The_output_in_the_document_is_that_of_the_program(string path, int block, int moreThan)
    {
        string printed = Run(path, block), text = Markdown.Of(path).Text;
        string shown = text[Regex.Match(text, "(?m)^(##### |# HELP )").Index..].Split("```")[0];

        // The README's numbers differ between machines.
        string[] Lines(string all) => [.. all.Split('\n').Where(line => line is not "" and not "...")
            .Select(line => path == "README.md" && line.StartsWith('|') ? line.Split('|')[1].Trim() : line).Where(line => line != "...")];
        Lines(shown).Should().HaveCountGreaterThan(moreThan).And.BeSubsetOf(Lines(printed));
    }

    [FactNeeding(Need.Linux)]
    public void Linux_programs_measure_the_machine_counters_and_commands()
    {
        Run("docs/cpu-time.md", 7).Should().MatchRegex($"^ *[0-9.]+ us, .*\n(.*\n)*{Environment.ProcessId} ");
        Run("docs/performance-counters.md", 0).Should().MatchRegex("(?m)^(##### )?Software:PageFaults(: |$)")
            .And.MatchRegex("(?m)^(##### )?Hardware:BranchMisses(: |$)");
        Run("docs/command-line.md", 0).Should().MatchRegex(@"^[0-9,.]+ ms, ");
        File.Exists(At("numbers.txt.gz")).Should().BeTrue();
        Run("docs/command-line.md", 1, "Console.Write(sorted.ExitCode);").Should().Be("0");
        File.ReadLines(At("sorted.txt")).Count().Should().Be(100_000);
    }

    [Fact]
    public void Logs_are_recorded_converted_and_merged_and_damaged_lines_are_skipped()
    {
        Run(Logs, 1, "latency.Record(1_000_000); queueing.Record(2_000_000, 7);");
        Run(Logs, 2).Should().Contain("#[Max     =     2000.895, Total count    =            7]");

        Run(Logs, 4).Should().BeEmpty();
        string whole = File.ReadLines(At("latency.hlog")).Last();
        whole.Should().StartWith("Tag=converted,");
        File.AppendAllText(At("latency.hlog"), $"nonsense\n{whole}\n");
        Run(Logs, 3, "Console.Write(merger.ToHistogram()!.TotalCount);").Should().Be("6");
    }

    [Fact]
    public void The_plots_and_the_report_are_written()
    {
        Run("docs/plots.md", 0);
        File.ReadAllText(At("latency.html")).Should().StartWith("<!DOCTYPE html>").And.Contain("-20.0%").And.EndWith("</html>\n");
        File.ReadAllText(At("percentiles.svg")).Should().StartWith("<svg ").And.EndWith("</svg>\n");
    }

    [Fact]
    public void The_number_of_series_is_that_of_the_guide()
    {
        MatchCollection rows = SeriesRow().Matches(Markdown.Of("docs/prometheus.md").Text);
        rows.Should().HaveCount(3);
        foreach ((Match row, double relativeError) in rows.Zip([0.125, 0.25, 0.5]))
        {
            ArrayBufferWriter<byte> output = new();
            HdrHistogramRegistration[] registrations = [new("x", HdrHistogram.Create(), HdrHistogramDescription.Nanoseconds)];
            new PrometheusWriter(relativeError).WriteHistograms(output, PrometheusFormat.Text, registrations);
            $"{Encoding.UTF8.GetString(output.WrittenSpan).Split("\nx_seconds").Length - 1}".Should().Be(row.Groups[1].Value, "for {0}", relativeError);
        }
    }

    /// <summary>Tests rows of the table "These calls compile, but behave differently" of docs/migrating.md.</summary>
    [Fact]
    public void Calls_with_different_behavior_behave_as_documented()
    {
        HdrHistogram.Factory.WithInterlocked().WithThreadLocal().Create().Should().BeOfType<ThreadLocalHdrHistogram<uint>>();
        HdrHistogram.Factory.WithThreadLocal(true, TimeSpan.FromSeconds(1)).WithInterlocked(true).Create().Should().BeOfType<InterlockedHdrHistogram<uint>>();
        HdrHistogram.Factory.WithRelativeError(0.056).Create().RelativeError.Should().Be(0.03125);
        FluentActions.Invoking(() => HdrHistogram.Factory.WithRelativeError(0.2)).Should().Throw<ArgumentOutOfRangeException>();
        PlainHdrHistogram<uint> histogram = HdrHistogram.Create();
        (histogram.GetSummary().Mean, histogram.GetSummary().StDev).Should().Be((0, 0));
        histogram.Record(1);
        histogram.BucketPercentilesWithValues.Single().Rank.Should().Be(50);
        IEnumerator<Bucket> buckets = histogram.Buckets.GetEnumerator();
        buckets.Dispose();
        buckets.MoveNext().Should().BeFalse();
        histogram.Reset();
        histogram.Record([.. Enumerable.Range(1, 1_000).Select(value => (ulong)value)]);
        histogram.GetPercentile(99.9).TargetCount.Should().Be(999);
        histogram.Dispose();
        histogram.GetNanoScope().Dispose();
        FluentActions.Invoking(() => histogram.Record(1)).Should().Throw<ObjectDisposedException>();
    }

    private string At(string name) => Path.Combine(_folder, name);

    private string Run(string path, int block, string next = "") => DocumentCode.Run(path, block, _folder, next);

    [GeneratedRegex(@"^\| `new PrometheusWriter.* \| ([0-9]+) \|$", RegexOptions.Multiline)]
    private static partial Regex SeriesRow();
}
