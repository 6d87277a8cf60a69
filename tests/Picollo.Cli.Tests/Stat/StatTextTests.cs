using Picollo.Cli.Stat;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Tests.Stat;

/// <summary>The exact tables of artificial runs, so that no PMU is required.</summary>
public class StatTextTests
{
    private const string NoPmu = "this machine exposes no PMU; turn it on";

    [Fact]
    public void Reports_match_the_golden_files()
    {
        Golden("run", Report(Options("sort big.txt"), [[Run(0)]]));
        Golden("run-failed", Report(
            Options("\e]0;x\a[/] " + new string('x', 90)),
            [[Run(
                0, exitCode: 137, signal: 9, counters: [new("task-clock", 1_234_567, 1, true), new("page-faults", 0, 1, false)],
                unavailable: true, resident: 0)]],
            refusal: "\e[1mperf\e[0m explains it in a sentence that does not fit into a line of eighty columns, as here"));
        Golden("run-threads", Report(Options("threads") with { PerThread = true }, [[Run(0, threads: true)]]));
        Golden("runs", Report(Options("sort big.txt", runs: 20), [[.. Enumerable.Range(0, 20).Select(i => Run(i, exitCode: i is 3 or 5 ? i : 0))]]));
        Golden("runs-interrupted", Report(Options("sort big.txt", runs: 20), [[Run(0), Run(1)]], isInterrupted: true));
        Golden("runs-none", Report(Options("sort big.txt", runs: 20), [[]], isInterrupted: true));
        Golden("comparison", Report(Compared("sort big.txt", "sort -u big.txt", runs: 3), [[Run(0), Run(1), Run(2)], [Run(10), Run(11), Run(12)]]));
    }

    [Fact]
    public void The_effect_size_requires_that_a_command_varies()
    {
        Report(Compared("a", "b", runs: 1), [[Run(0)], [Run(10)]]).Should()
            .Contain("\n1 run of each command, alternately\n").And.MatchRegex("(?m)^elapsed .* -$").And.NotContain("∞")
            .And.NotContain("±0");
        Report(Compared("a", "b", runs: 3), [[Run(0), Run(50)], [Run(10)]], isInterrupted: true)
            .Should().MatchRegex(@"(?m)^elapsed .* [+-]?\d+\.\d\d$");
        Report(Options("a", runs: 2), [[Run(0), Run(1)]], isInterrupted: true).Should().Contain("\n2 runs\n")
            .And.NotContain("interrupted", "no run is excluded");
    }

    internal static StatOptions Options(string command, int runs = 1) =>
        new([MeasuredCommand.FromText(command)]) { Runs = runs };

    private static StatOptions Compared(string first, string second, int runs) =>
        Options(first, runs) with { Commands = [MeasuredCommand.FromText(first), MeasuredCommand.FromText(second)] };

    /// <summary>Creates a run with values for all fields, which depend on <paramref name="n"/>.</summary>
    internal static CommandRun Run(
        int n, int exitCode = 0, int? signal = null, CommandCounter[]? counters = null, bool unavailable = false, long resident = 123_456_789, bool threads = false) => new()
        {
            ElapsedNanoseconds = 1_234_567_890 + (n * 1_000_000),
            ExitCode = exitCode,
            TerminationSignal = signal,
            Usage = new ResourceUsage
            {
                Cpu = new CpuUsage(1_000_000_000 + n, 200_000_000 * (n % 3)),
                MaxResidentBytes = resident,
                MinorPageFaults = 30_123 + n,
                MajorPageFaults = 4,
                VoluntaryContextSwitches = 1_001,
                InvoluntaryContextSwitches = n,
            },
            Counters = counters ??
            [
                new("task-clock", 1_200_000_000 + ((ulong)n * 7_000_000), 1, isTime: true),
                new("context-switches", 1_001, 1, isTime: false),
                new("cpu-migrations", 0, 1, isTime: false),
                new("cycles", 3_600_000_000, 1, isTime: false),
                new("instructions", 7_200_000_001 + ((ulong)n << 24), 1, isTime: false),
                new("branches", 1_000_000_000, 0.75, isTime: false),
                new("branch-misses", 12_345_678, 0.75, isTime: false),
                new("L1-dcache-loads", 2_000_000_000, 0.5, isTime: false),
                new("L1-dcache-load-misses", 500_000_000, 0.5, isTime: false),
                new("cpu/event=0x2e,umask=0x41/", 999_999_999_999_999, null, isTime: false),
            ],
            UnavailableCounters = unavailable
                ? new OrderedDictionary<string, MeasurementUnavailableException>([Unavailable("cycles", NoPmu), Unavailable("branches", NoPmu), Unavailable("a:b", "no tracefs")])
                : new OrderedDictionary<string, MeasurementUnavailableException>(),
            Threads = threads
                ? [new(71, 71, "main", 700_000_000), new(71, 12_345, "pool [red]\e[0m", 299_999_999), new(72, 72, "child", 0)]
                : [],
        };

    private static KeyValuePair<string, MeasurementUnavailableException> Unavailable(string name, string reason) =>
        new(name, new MeasurementUnavailableException($"{name}: {reason}", MeasurementUnavailableCause.NotSupported));

    private static string Report(StatOptions options, CommandRun[][] runs, string? refusal = null, bool isInterrupted = false)
    {
        StringWriter writer = new() { NewLine = "\n" };
        StatText report = new(writer, options);
        CommandSeries[] series = [.. runs.Select(_ => new CommandSeries())];
        for (int i = 0; i < runs.Length; i++)
        {
            foreach (CommandRun run in runs[i])
            {
                series[i].Add(run);
                report.Add(i, run);
            }
        }

        CounterNotes notes = new(isVerbose: false, refusal);
        report.End(new StatResult(series, isInterrupted) { Notes = [.. notes.Describe(runs.SelectMany(each => each).FirstOrDefault())] });
        return writer.ToString();
    }

    private static void Golden(string name, string text)
    {
        text.ShouldBeApproved($"Stat/Golden/{name}.txt");
        text.Split('\n').Should().OnlyContain(line => line.Length <= 80, name);
    }
}
