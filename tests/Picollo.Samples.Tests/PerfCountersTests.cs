using Picollo.PerfEvent;

namespace Picollo.Samples.Tests;

/// <summary>Runs both programs with hardware counters, or with their fallback if hardware counters are unavailable.</summary>
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

        string[] expected = ShouldPrintAvailability(lines, counters)
            ? ["Hardware:Instructions", "Hardware:CpuCycles", "Hardware:RefCpuCycles", "Hardware:BranchMisses", "HardwareCache:L1DReadMiss", "HardwareCache:L1IReadMiss"]
            : SoftwareNames;
        Titles(lines).Should().Equal(expected);
        string[][] totals = [.. MarkdownRows.Of(lines).Where(row => row[0] == "Precision:")];
        totals.Should().HaveSameCount(expected).And.AllSatisfy(row => row[3].ToNumber().Should()
            .BeInRange(170, 179, "the first 21 are the warm-up, and a scope that spans a suspend records nothing"));

        // The first table shows at least 256,000 instructions, or the CPU time in nanoseconds. No CPU needs less than 25 µs for them, which
        // would be 10 GHz.
        string[][] first = MarkdownRows.Of(lines.SkipWhile(line => !line.StartsWith('|')).TakeWhile(line => line.StartsWith('|')));
        first.Row("50")[1].ToNumber().Should().BeGreaterThan(25_000);
    }

    [Fact]
    public void Sorted_and_unsorted_values_are_compared_in_tables()
    {
        PerfEventCounterSessionFactory counters = PerfEventCounterSession.Factory.WithHardwareCounters(PerfHardwareCounterId.CpuCycles, PerfHardwareCounterId.BranchMisses);
        string[] lines = ConsoleOutput.LinesOf(() => CpuPmu.RunOrElse(() => SortedUnsorted.Run(5), () => SortedUnsorted.RunWithoutPmu(5)));

        Titles(lines).Should().Equal(ShouldPrintAvailability(lines, counters) ? ["CpuCycles", "BranchMisses"] : SoftwareNames);
        MarkdownRows.Of(lines)[0].Should().Equal("Percentile", "Unsorted", "Sorted", "Δ%");
    }

    private static string[] SoftwareNames
    {
        get
        {
            PerfEventCounterSessionFactory software = PerfEventCounterSession.Factory.WithOptional().WithSoftwareCounter(PerfSoftwareCounterId.TaskClock)
                .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults).WithSoftwareCounter(PerfSoftwareCounterId.ContextSwitches);
            using PerfEventCounterSession? session = software.TryCreate(out PerfEventCounterSession? created, out _) ? created : null;
            return ["CPU time, ns", "Elapsed, ps", .. session?.Counters.Select(counter => counter.Name) ?? []];
        }
    }

    /// <summary>Returns whether the hardware counters are available. If they are not, asserts that the reason was printed.</summary>
    private static bool ShouldPrintAvailability(string[] lines, PerfEventCounterSessionFactory counters)
    {
        lines.Should().Contain(line => line.StartsWith("CPU PMU: fixedCounters=", StringComparison.Ordinal));
        if (counters.TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure))
        {
            session.Dispose();
            return true;
        }

        lines.Should().ContainInOrder(
            $"The hardware counters are unavailable. {failure.Message}",
            "The same work, measured with CPU time, the CPU's time counter and the kernel's software counters:");
        return false;
    }

    private static IEnumerable<string> Titles(string[] lines) =>
        lines.Where(line => line.StartsWith("##### ", StringComparison.Ordinal)).Select(line => line["##### ".Length..]);
}
