using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Picollo.Cpu;
using Picollo.Export;
using Picollo.Metrics;
using Picollo.Scheduling;

namespace Picollo.Samples.Tests;

/// <summary>What the README shows is what the library does.</summary>
[Collection(ConsoleOutput.Collection)]
public sealed partial class ReadmeTests
{
    private static readonly string Readme = Resource("README.md");

    [Fact]
    public void Every_code_block_is_compiled_in_ReadmeSamples_or_a_sample()
    {
        string compiled = Normalized(Resource("ReadmeSamples.cs") + Resource("Aggregation.cs"));
        List<string> blocks = [.. CodeBlock().Matches(Readme).Select(match => match.Groups[1].Value)];

        blocks.Should().HaveCountGreaterThan(3);
        blocks.Should().OnlyContain(block => compiled.Contains(Normalized(block), StringComparison.Ordinal));
    }

    [Fact]
    public void The_first_minute_prints_what_its_comment_and_its_table_say()
    {
        string[] printed = ConsoleOutput.Of(() => ReadmeSamples.FirstMinute()).Split('\n');

        Readme.Should().Contain("// " + printed[0]);
        string[] shown = [.. TableBlock().Match(Readme).Groups[1].Value.Split('\n').Where(line => line is not "" and not "...")];
        shown.Should().HaveCountGreaterThan(10).And.BeSubsetOf(printed);
    }

    [Fact]
    public void The_reading_examples_answer()
    {
        var histogram = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        for (ulong value = 19_000; value < 29_000; value++)
        {
            histogram.Record(value);
        }

        (double withinTarget, ulong inBetween, ulong p999) = default((double, ulong, ulong));
        ConsoleOutput.Of(() => (withinTarget, inBetween, p999) = ReadmeSamples.Reading(histogram)).Should().StartWith("P");
        withinTarget.Should().BeApproximately(60, 2);
        inBetween.Should().BeCloseTo(5_000, 300);
        p999.Should().BeCloseTo(29_000, 256);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void The_opening_and_the_monitoring_examples_run()
    {
        HdrHistogram? histogram = null;
        ConsoleOutput.Of(() => histogram = ReadmeSamples.Opening()).Should().StartWith("##### Latency, ns");
        histogram!.TotalCount.Should().Be(1);
        ConsoleOutput.Of(() => ReadmeSamples.Monitoring(histogram)).Should().Contain("requests: Total=0");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public async Task The_wake_up_latency_is_of_a_second_or_less_where_the_machine_cannot_keep_up() =>
        (await ReadmeSamples.WakeUpLatency()).Should().BePositive().And.BeLessThanOrEqualTo(1_000UL * (ulong)Environment.ProcessorCount);

    [Fact]
    public async Task What_the_travelling_example_records_its_reader_merges()
    {
        string folder = Directory.CreateTempSubdirectory("picollo-readme-").FullName;
        try
        {
            string path = Path.Combine(folder, "latency.hlog");
            HdrHistogram latency = HdrHistogram.Create();
            HdrHistogram queueing = HdrHistogram.Factory.WithSignificantDigits(3).Create();
            Task<HdrHistogram?>? travelling = null;
            ConsoleOutput.Of(() => travelling = ReadmeSamples.Travelling(path, latency, queueing, () =>
            {
                latency.Record(1_000_000);
                queueing.Record(2_000_000, 7);
                return Task.CompletedTask;
            })).Should().Contain("#[Max     =     2000.895, Total count    =            7]");
            HdrHistogram? merged = await travelling!;
            merged!.TotalCount.Should().Be(7);
            File.ReadAllText(Path.Combine(folder, "latency.svg")).Should().StartWith("<svg ");

            // The default precision claims less on its way back.
            HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(latency)).RelativeError.Should().BeApproximately(0.0005, 0.00002).And.BeLessThan(latency.RelativeError);

            // An interval without a record is as long as it says.
            queueing.Reset();
            using var empty = new MemoryStream();
            new HdrHistogramLogWriter(empty).WriteInterval(queueing, DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddSeconds(1), "queueing");
            empty.Length.Should().BeInRange(70, 90);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void The_examples_by_hand_write_a_log_and_read_on_after_a_wrong_line()
    {
        string path = Path.GetTempFileName();
        try
        {
            HdrHistogram histogram = HdrHistogram.Create();
            histogram.Record(5, 3);
            ReadmeSamples.ByHand(path, histogram, DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddSeconds(1));
            string whole = File.ReadLines(path).Last();
            whole.Should().StartWith("Tag=converted,");
            File.AppendAllText(path, $"nonsense\n{whole}\n");

            ReadmeSamples.ReadingOn(path)!.TotalCount.Should().Be(6);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void The_exposition_is_what_the_readme_shows_and_has_so_many_series()
    {
        ArrayBufferWriter<byte> output = new();
        ReadmeSamples.Exposition(output, 1_200_000);
        string[] lines = Encoding.UTF8.GetString(output.WrittenSpan).Split('\n');

        string shown = Readme[Readme.IndexOf("# HELP queue_wait", StringComparison.Ordinal)..];
        shown = shown[..shown.IndexOf("```", StringComparison.Ordinal)];
        shown.Split('\n').Where(line => line is not "" and not "...").Should().HaveCount(7).And.BeSubsetOf(lines);
        foreach ((double relativeError, int series) in new[] { (0.125, 108), (0.25, 56), (0.5, 30) })
        {
            output.ResetWrittenCount();
            HdrHistogramRegistration[] registrations = [new("x", HdrHistogram.Create(), HdrHistogramDescription.Nanoseconds)];
            new PrometheusTextWriter(relativeError).Write(output, registrations);
            Encoding.UTF8.GetString(output.WrittenSpan).Split('\n').Count(line => line.StartsWith("x_seconds", StringComparison.Ordinal))
                .Should().Be(series, "the README says so of {0}", relativeError);
        }
    }

    [Fact]
    public void The_pictures_are_made()
    {
        string folder = Directory.CreateTempSubdirectory("picollo-readme-").FullName;
        try
        {
            HdrHistogram before = HdrHistogram.Create();
            HdrHistogram after = HdrHistogram.Create();
            before.Record(5_000_000, 100);
            after.Record(4_000_000, 100);

            string inPage = ReadmeSamples.Pictures(folder, before, after);

            inPage.Split("<svg ").Should().HaveCount(3);
            File.ReadAllText(Path.Combine(folder, "latency.html")).Should().StartWith("<!DOCTYPE html>").And.Contain("-20.0%").And.EndWith("</html>\n");
            Directory.EnumerateFiles(folder, "*.svg").Should().HaveCount(2)
                .And.OnlyContain(path => File.ReadAllText(path).StartsWith("<svg ") && File.ReadAllText(path).EndsWith("</svg>\n"));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void The_cpu_examples_run()
    {
        (CpuUsage usage, long nanoseconds) = default((CpuUsage, long));
        ConsoleOutput.Of(() => (usage, nanoseconds) = ReadmeSamples.CpuTime()).Should().StartWith($"CPU Usage: {usage}");
        nanoseconds.Should().BePositive();

        ConsoleOutput.Of(() => ReadmeSamples.OtherProcess(Environment.ProcessId).Should().BeNull()).Should().MatchRegex(@"^[0-9.]+ ms \(user ");
        string? reason = null;
        ConsoleOutput.Of(() => reason = ReadmeSamples.OtherProcess(int.MaxValue)).Trim().Should().Be(reason);
        Readme.Should().Contain("// " + reason!.Replace($"{int.MaxValue}", "4711", StringComparison.Ordinal));

        CpuUsage watched = default;
        ConsoleOutput.Of(() => watched = ReadmeSamples.Watching().GetAwaiter().GetResult()).Should()
            .StartWith($"{watched} in ").And.MatchRegex(@" ms, [0-2] switches");
        watched.TotalNanoseconds.Should().BePositive();

        CpuStates total = default;
        string printed = ConsoleOutput.Of(() => total = ReadmeSamples.Machine());
        printed.Should().StartWith(total.ToString());
        printed.Split('\n').Should().Contain(line => line.StartsWith($"{Environment.ProcessId} ", StringComparison.Ordinal));
    }

    [Fact]
    public void The_counter_examples_run()
    {
        ReadmeSamples.ThreadClock().Should().BePositive();
        if (!OperatingSystem.IsLinux())
        {
            FluentActions.Invoking(ReadmeSamples.Counters).Should().Throw<MeasurementUnavailableException>();
            return;
        }

        (IReadOnlyList<string> counted, IReadOnlyList<string> missing) = ([], []);
        string[] lines = ConsoleOutput.LinesOf(() => (counted, missing) = ReadmeSamples.Counters());
        counted.Concat(missing).Should().BeEquivalentTo(
            "Hardware:Instructions", "Hardware:CpuCycles", "Hardware:RefCpuCycles", "Hardware:BranchMisses", "Software:PageFaults");
        lines.Where(line => line.StartsWith("##### ", StringComparison.Ordinal)).Should().Equal(counted.Select(name => $"##### {name}"));
        missing.Should().OnlyContain(name => lines.Any(line => line.StartsWith($"{name}: ", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task The_web_example_shows_its_requests()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(
            ["--urls", "http://127.0.0.1:0", "--Logging:LogLevel:Default", "None", "--environment", "Development"]);
        await using WebApplication app = ReadmeSamples.Web(builder);
        await app.StartAsync();
        using HttpClient client = new() { BaseAddress = new Uri(app.Urls.Single()) };

        (await client.GetStringAsync("/checksum/1")).Should().Be($"{0xCBF43926}");
        (await client.PostAsync("/orders", new StringContent("{\"size\":77}", Encoding.UTF8, "application/json"))).EnsureSuccessStatusCode();

        (await client.GetStringAsync("/picollo")).Should().Contain("<bdi>/checksum/{blocks}</bdi>").And.Contain("<bdi>order_size</bdi>");
        string json = await client.GetStringAsync("/picollo/json");
        json.Should().ContainAll("\"windowSeconds\"", "\"routes\"", "\"cpuSeconds\":{\"p50\"", "\"p99\"", "\"rate\"", "\"machineShare\"", "\"max\":77");
    }

    [Fact]
    public void The_configuration_for_benchmarks_measures_by_one_diagnoser() =>
        ReadmeSamples.BenchmarkConfig().GetDiagnosers().Should().ContainSingle(diagnoser => diagnoser.Ids.Contains("Picollo"));

    [Fact]
    public void The_responsive_example_computes()
    {
        (uint checksum, CpuWorkerStatistics? statistics) = default((uint, CpuWorkerStatistics?));
        ConsoleOutput.Of(() => (checksum, statistics) =
            ReadmeSamples.Responsive(["12345"u8.ToArray(), "6789"u8.ToArray()], ["a", "b"], CancellationToken.None).GetAwaiter().GetResult())
            .Should().MatchRegex("^[0-9,]+ ns in the queue");

        checksum.Should().Be(0xCBF43926);
        statistics!.Completed.Should().BeGreaterThan(1).And.Be(statistics.Submitted);
    }

    [Fact]
    public async Task The_body_gives_the_same_without_a_pool()
    {
        await using var pool = new CpuWorkerPool();

        (await ReadmeSamples.ParallelLoop(pool, [new byte[5], new byte[4]])).Should().Be(9);
        (await ReadmeSamples.WithoutPool(pool, ["12345"u8.ToArray(), "6789"u8.ToArray()], CancellationToken.None))
            .Should().Be((0xCBF43926, 0xCBF43926));
    }

    [Fact]
    public void The_precision_table_says_what_histograms_take()
    {
        MatchCollection rows = PrecisionRow().Matches(Readme);

        rows.Should().HaveCount(3);
        foreach (Match row in rows)
        {
            double setting = double.Parse(row.Groups["setting"].Value, CultureInfo.InvariantCulture);
            var factory = HdrHistogram.Factory.WithMaxTrackableValue(3_600 * NanoScope.OneSecondValue);
            using var histogram = row.Groups["method"].Value == "WithRelativeError"
                ? factory.WithRelativeError(setting).Create()
                : factory.WithSignificantDigits((int)setting).Create();

            row.Groups["buckets"].Value.Should().Be(histogram.Buckets.Count().ToString("N0", CultureInfo.InvariantCulture));
            string kilobytes = row.Groups["kilobytes"].Value;
            string format = kilobytes.Contains('.', StringComparison.Ordinal) ? "F1" : "F0";
            kilobytes.Should().Be((histogram.FootprintInBytes / 1e3).ToString(format, CultureInfo.InvariantCulture));
        }
    }

    private static string Normalized(string code) => string.Join(
        '\n', code.Split('\n').Select(line => line.Trim()).Where(line => line.Length > 0 && !UsingDirective().IsMatch(line)));

    private static string Resource(string name)
    {
        using Stream stream = typeof(ReadmeTests).Assembly.GetManifestResourceStream(name)!;
        using StreamReader reader = new(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex CodeBlock();

    [GeneratedRegex(@"^using [A-Z][\w.]*;$")]
    private static partial Regex UsingDirective();

    [GeneratedRegex(@"^\| `(?<method>With\w+)\((?<setting>[0-9.]+)\)`[^|]*\| (?<buckets>[0-9,]+) \| (?<kilobytes>[0-9.]+) KB \|", RegexOptions.Multiline)]
    private static partial Regex PrecisionRow();

    [GeneratedRegex("```\n(##### .*?)```", RegexOptions.Singleline)]
    private static partial Regex TableBlock();
}
