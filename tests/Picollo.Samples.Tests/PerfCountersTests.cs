using Picollo.PerfEvent;

namespace Picollo.Samples.Tests;

/// <summary>Both programs, with the CPU's counters where there are some, and else with what they say and do instead.</summary>
[Collection(ConsoleOutput.Collection)]
public sealed class PerfCountersTests
{
    [Fact]
    public void The_known_workload_prints_a_table_for_each_counter()
    {
        PerfEventCounterSessionFactory counters = PerfEventCounterSession.Factory.WithPinned(true).WithFixedCounters()
            .WithHardwareCounter(PerfHardwareCounterId.BranchMisses)
            .WithCacheCounter(PerfCacheCounterId.L1DReadMiss).WithCacheCounter(PerfCacheCounterId.L1IReadMiss);
        string[] lines = ConsoleOutput.LinesOf(() => CpuPmu.RunOrElse(() => KnownWorkload.Run(200), () => KnownWorkload.RunWithoutPmu(200)));

        string[] expected = ShouldSayWhatThereIs(lines, counters)
            ? ["Hardware:Instructions", "Hardware:CpuCycles", "Hardware:RefCpuCycles", "Hardware:BranchMisses", "HardwareCache:L1DReadMiss", "HardwareCache:L1IReadMiss"]
            : SoftwareNames;
        Titles(lines).Should().Equal(expected);
        string[][] totals = [.. MarkdownRows.Of(lines).Where(row => row[0] == "Precision:")];
        totals.Should().HaveSameCount(expected).And.AllSatisfy(row => row[3].ToNumber().Should()
            .BeInRange(170, 179, "the first 21 are the warm-up, and a scope across a suspend records nothing"));

        // 256,000 instructions and more; and no CPU takes them in less than 25 µs, which would be 10 GHz.
        string[][] first = MarkdownRows.Of(lines.SkipWhile(line => !line.StartsWith('|')).TakeWhile(line => line.StartsWith('|')));
        first.Row("50")[1].ToNumber().Should().BeGreaterThan(25_000);
    }

    [Fact]
    public void Sorted_and_unsorted_are_compared_table_by_table()
    {
        PerfEventCounterSessionFactory counters = PerfEventCounterSession.Factory.WithHardwareCounters(PerfHardwareCounterId.CpuCycles, PerfHardwareCounterId.BranchMisses);
        string[] lines = ConsoleOutput.LinesOf(() => CpuPmu.RunOrElse(() => SortedUnsorted.Run(5), () => SortedUnsorted.RunWithoutPmu(5)));

        Titles(lines).Should().Equal(ShouldSayWhatThereIs(lines, counters) ? ["CpuCycles", "BranchMisses"] : SoftwareNames);
        MarkdownRows.Of(lines)[0].Should().Equal("Percentile", "Unsorted", "Sorted", "Δ%");
    }

    private static string[] SoftwareNames
    {
        get
        {
            string[] names = ["CPU time, ns", "Elapsed, ps"];
            PerfEventCounterSessionFactory software = PerfEventCounterSession.Factory
                .WithSoftwareCounter(PerfSoftwareCounterId.TaskClock)
                .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults)
                .WithSoftwareCounter(PerfSoftwareCounterId.ContextSwitches)
                .WithOptional();
            if (!software.TryCreate(out PerfEventCounterSession? session, out _))
            {
                return names;
            }

            using (session)
            {
                return [.. names, .. session.Counters.Select(counter => counter.Name)];
            }
        }
    }

    /// <summary>Whether the CPU's counters were had; if not, that is the next thing said, with the reason.</summary>
    private static bool ShouldSayWhatThereIs(string[] lines, PerfEventCounterSessionFactory counters)
    {
        lines.Should().Contain(line => line.StartsWith("CPU PMU: fixedCounters=", StringComparison.Ordinal));
        if (counters.TryCreate(out PerfEventCounterSession? session, out string? reason))
        {
            session.Dispose();
            return true;
        }

        lines.Should().ContainInOrder(
            $"The CPU's counters cannot be had. {reason}",
            "The same work with CPU time, the CPU's clock and the kernel's own counters instead:");
        return false;
    }

    private static IEnumerable<string> Titles(string[] lines) =>
        lines.Where(line => line.StartsWith("##### ", StringComparison.Ordinal)).Select(line => line["##### ".Length..]);
}
