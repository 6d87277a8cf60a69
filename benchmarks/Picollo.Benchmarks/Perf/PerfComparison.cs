using Picollo.Cpu;
using Picollo.Interop.Native;
using Picollo.PerfEvent;

namespace Picollo.Benchmarks.Perf;

/// <summary><c>compare perf</c>: reading counters, in under a minute.</summary>
internal static class PerfComparison
{
    public const string Name = "perf";

    private const int Repetitions = 401;
    private const int AllocationOperations = 10_000;

    /// <summary>Operations of a repetition, of reads that take some 10 ns each.</summary>
    public const int Reads = 5_000;

    /// <summary>Operations of a repetition, of calls that take some hundreds of nanoseconds each.</summary>
    public const int Calls = 300;

    public static int Run(TextWriter output)
    {
        if (!OperatingSystem.IsLinux())
        {
            Console.Error.WriteLine("error: perf_event counters exist on Linux only");
            return 1;
        }

        MachineInfo.Print(output);
        BareLibrary? bare = BareLibrary.TryCompile(out string? reason);
        if (bare is null)
        {
            output.WriteLine($"not measured: reads of simulated pages: {reason}");
        }

        List<Row> rows = [.. CreateRows(bare)];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
        PrintAllocations(output, rows);
        return 0;
    }

    private static void PrintAllocations(TextWriter output, List<Row> rows)
    {
        FactTable table = new("Allocated by an operation, on its thread");
        foreach (Contender contender in rows.Select(row => row.Measured).Where(contender => contender is SessionContender or ThreadClock))
        {
            string pages = contender is SessionContender { IsOfPages: true } ? ", pages" : "";
            table.Add($"{contender.Name}{pages}", contender.AllocatedBytes(AllocationOperations), 0);
        }

        table.Print(output);
    }

    private static IEnumerable<Row> CreateRows(BareLibrary? bare)
    {
        if (bare is not null)
        {
            foreach (Row row in OfPages(bare, "Simulated pages, RDTSC in the place of RDPMC", ofNothing: false)
                .Concat(OfPages(bare, "Simulated pages, instructions that take no time", ofNothing: true)))
            {
                yield return row;
            }

            const string Session = "A session on simulated pages, RDTSC in the place of RDPMC";
            SessionContender one = SessionContender.OfPages("Read() of 1", bare, 1, session => session.Read());
            yield return new Row(Session, one);
            yield return new Row(Session, SessionContender.OfPages("Read() of 4", bare, 4, session => session.Read()), one);
            yield return new Row(Session, SessionContender.OfPages("Record() of 4", bare, 4, session => session.Record()));
            yield return new Row(Session, SessionContender.OfPages("using (Measure()) of 4", bare, 4, Measure));
        }

        const string Kernel = "A session of six software counters";
        BareGroupRead read = new();
        yield return new Row(Kernel, read);
        yield return new Row(Kernel, SessionContender.OfSix("Read(forceSyscallRead: true)", session => session.Read(forceSyscallRead: true)), read, 1.1);
        yield return new Row(Kernel, SessionContender.OfSix("Read()", session => session.Read()), read);
        yield return new Row(Kernel, SessionContender.OfSix("Record()", session => session.Record()));
        yield return new Row(Kernel, SessionContender.OfSix("using (Measure())", Measure), read);

        const string Time = "The thread's CPU time";
        Cpu.Reads call = new("CpuUsageReader.GetThreadTimeNanoseconds()", CpuUsageReader.GetThreadTimeNanoseconds, Calls);
        ThreadCpuClock clock = new();
        yield return new Row(Time, call);
        yield return new Row(
            Time, new ThreadClock($"ThreadCpuClock.GetNanoseconds(){(clock.ReadsInUserSpace ? "" : ", by the kernel here")}", clock, Calls), call);
        if (SimulatedClock() is { } simulated)
        {
            yield return new Row(Time, new ThreadClock("ThreadCpuClock.GetNanoseconds(), simulated page", simulated, Reads), call);
        }
    }

    /// <summary>A hardware counter's page has the time, so a read is two instructions, and of four counters five: where both take as
    /// long, four take 2.5 times as long as one, in C too, and without the time twice as long as one with it. How far the library is
    /// from that floor is in the rows that are compared with bare instructions.</summary>
    private static IEnumerable<Row> OfPages(BareLibrary bare, string section, bool ofNothing)
    {
        LoopInC both = new(bare, 1, withCalls: true, ofNothing);
        ShimReads one = new(bare, 1, ofNothing);
        yield return new Row(section, new EmptyCall(bare));
        yield return new Row(section, new LoopInC(bare, 1, withCalls: false, ofNothing));
        yield return new Row(section, both);
        yield return new Row(section, one, both, 1.2);
        yield return new Row(section, new LoopInC(bare, 4, withCalls: false, ofNothing), one);
        yield return new Row(section, new ShimReads(bare, 4, ofNothing), one, 2);
        yield return new Row(section, new ShimReads(bare, 1, ofNothing, withTimes: false), one);
        yield return new Row(section, new ShimReads(bare, 4, ofNothing, withTimes: false), one, 1.9);
        if (!ofNothing)
        {
            Instructions four = new(bare, 4), five = new(bare, 5);
            yield return new Row(section, four, one);
            yield return new Row(section, new ShimReads(bare, 4, ofNothing, withTimes: false), four, 1.1);
            yield return new Row(section, five, one);
            yield return new Row(section, new ShimReads(bare, 4, ofNothing), five, 1.1);
        }
    }

    private static void Measure(PerfEventCounterSession session)
    {
        using (session.Measure())
        {
        }
    }

    private static unsafe ThreadCpuClock? SimulatedClock() => NativeShim.Current.ReadThreadTime != null
        ? new ThreadCpuClock(SimulatedPages.Page(index: 0), NativeShim.Current.ReadThreadTime, CpuUsageReader.GetThreadTimeNanoseconds)
        : null;
}

/// <summary>The thread's CPU time by its clock.</summary>
internal sealed class ThreadClock(string name, ThreadCpuClock clock, int operations) : Contender(name, operations)
{
    private long _last;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        ThreadCpuClock threadClock = clock;
        for (int i = 0; i < operations; i++)
        {
            _last = threadClock.GetNanoseconds();
        }
    }

    public override void Verify()
    {
        Run(1);
        Require(_last > 0, "the thread took no time.");
    }
}
