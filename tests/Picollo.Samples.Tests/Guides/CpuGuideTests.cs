using Picollo.Cpu;
using Picollo.Diagnostics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Runs the programs of docs/cpu-time.md, docs/performance-counters.md and docs/command-line.md.</summary>
[Collection(ConsoleOutput.Collection)]
public sealed class CpuGuideTests
{
    [Fact]
    public void Cpu_time_is_printed()
    {
        ConsoleOutput.Of(CpuTimeGuide.ThreadTime).Should().MatchRegex(@"^CPU usage: [0-9.]+ ..? \(user [0-9.]+ ..?, kernel [0-9.]+ ..?\)\n$");
        CpuTimeGuide.ThreadTotal().Should().BePositive();

        ConsoleOutput.Of(() => CpuTimeGuide.OtherProcess(Environment.ProcessId).Should().BeNull()).Should().MatchRegex(@"^[0-9.]+ ms \(user ");
        string? reason = null;
        ConsoleOutput.Of(() => reason = CpuTimeGuide.OtherProcess(int.MaxValue)).Trim().Should().Be(reason);
        Markdown.Of("docs/cpu-time.md").Text.Should().Contain("// " + reason!.Replace($"{int.MaxValue}", "4711", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Flows_are_measured()
    {
        CpuUsage watched = default;
        ConsoleOutput.Of(() => watched = CpuTimeGuide.WatchingAsync().GetAwaiter().GetResult()).Should()
            .StartWith($"{watched} in ").And.MatchRegex(@" ms, [0-2] switches");
        watched.TotalNanoseconds.Should().BePositive();

        (CpuUsage used, long total) = await CpuTimeGuide.MeasuringWorkAsync();
        used.TotalNanoseconds.Should().BePositive();
        total.Should().BePositive();
    }

    [Fact]
    public void Switches_are_listed()
    {
        IReadOnlyList<CpuFlowSegment> segments = [];
        string[] lines = ConsoleOutput.LinesOf(() => segments = CpuTimeGuide.ListingAsync().GetAwaiter().GetResult());

        segments.Should().NotBeEmpty();
        lines.Should().HaveCount(2 + (2 * segments.Count));
        lines[0].Should().Be($"CPU usage of a request: {CpuUsage.Sum(segments.Select(segment => segment.CpuUsage))}; thread switches:");
    }

    [Fact]
    public void A_process_that_has_exited_is_no_longer_watched()
    {
        HashSet<int> watched = [Environment.ProcessId, int.MaxValue];
        ConsoleOutput.Of(() =>
        {
            CpuTimeGuide.WatchedProcess(Environment.ProcessId, watched);
            CpuTimeGuide.WatchedProcess(int.MaxValue, watched);
        });

        watched.Should().Equal(Environment.ProcessId);
    }

    [Fact]
    public void The_machine_is_listed_with_this_process()
    {
        CpuStates total = default;
        string printed = ConsoleOutput.Of(() => total = CpuTimeGuide.Machine());

        printed.Should().StartWith(total.ToString());
        printed.Split('\n').Should().Contain(line => line.StartsWith($"{Environment.ProcessId} ", StringComparison.Ordinal));
    }

    [Fact]
    public void Counters_are_counted_or_have_a_reason()
    {
        CountersGuide.ThreadClock().Should().BePositive();
        if (!OperatingSystem.IsLinux())
        {
            FluentActions.Invoking(CountersGuide.Counters).Should().Throw<MeasurementUnavailableException>();
            return;
        }

        (IReadOnlyList<string> counted, IReadOnlyList<string> missing) = ([], []);
        string[] lines = ConsoleOutput.LinesOf(() => (counted, missing) = CountersGuide.Counters());
        counted.Concat(missing).Should().BeEquivalentTo(
            "Hardware:Instructions", "Hardware:CpuCycles", "Hardware:RefCpuCycles", "Hardware:BranchMisses", "Software:PageFaults");
        lines.Where(line => line.StartsWith("##### ", StringComparison.Ordinal)).Should().Equal(counted.Select(name => $"##### {name}"));
        missing.Should().OnlyContain(name => lines.Any(line => line.StartsWith($"{name}: ", StringComparison.Ordinal)));
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_command_is_measured()
    {
        const string Numbers = "numbers.txt"; // in the current folder
        string sorted = Path.Combine(Path.GetTempPath(), "sorted.txt");
        try
        {
            CommandRun? run = null;
            ConsoleOutput.Of(() => run = CommandLineGuide.Command()).Should().StartWith($"{run!.Elapsed.TotalMilliseconds:N1} ms, ");
            run!.ExitCode.Should().Be(0);
            File.Exists(Numbers + ".gz").Should().BeTrue();
            CommandLineGuide.CommandInFolder().ExitCode.Should().Be(0);
            File.ReadLines(sorted).Count().Should().Be(100_000);
        }
        finally
        {
            File.Delete(sorted);
            File.Delete(Numbers);
            File.Delete(Numbers + ".gz");
        }
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public async Task The_wake_up_latency_is_measured_for_at_most_a_second() =>
        (await CommandLineGuide.WakeUpLatencyAsync()).Should().BePositive().And.BeLessThanOrEqualTo(1_000UL * (ulong)Environment.ProcessorCount);
}
