using Picollo.Cpu;
using Picollo.Interop.Native;
using Picollo.PerfEvent;

namespace Picollo.Benchmarks.Perf;

/// <summary><c>compare perf</c>: measures reading counters, in less than a minute.</summary>
internal static class PerfComparison
{
    public const string Name = "perf";

    private const int Repetitions = 401;
    private const int AllocationOperations = 10_000;

    /// <summary>The number of operations in a repetition, for reads that take tens of nanoseconds.</summary>
    public const int Reads = 5_000;

    /// <summary>The number of operations in a repetition, for calls that take hundreds of nanoseconds.</summary>
    public const int Calls = 300;

    public static int Run(TextWriter output)
    {
        if (!OperatingSystem.IsLinux())
        {
            Console.Error.WriteLine("error: perf_event counters require Linux");
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
        FactTable table = new("Allocations of an operation on its thread");
        foreach (Contender contender in rows.Select(row => row.Measured).Where(contender => contender is SessionContender or ThreadClock))
        {
            string pages = contender is SessionContender { IsOfPages: true } ? ", simulated pages" : "";
            table.Add($"{contender.Name}{pages}", contender.AllocatedBytes(AllocationOperations), 0);
        }

        table.Print(output);
    }

    private static IEnumerable<Row> CreateRows(BareLibrary? bare)
    {
        if (bare is not null)
        {
            foreach (Row row in OfPages(bare, "Simulated pages, RDTSC instead of RDPMC", ofNothing: false)
                .Concat(OfPages(bare, "Simulated pages, instructions that take no time", ofNothing: true)))
            {
                yield return row;
            }

            const string Session = "A session on simulated pages, RDTSC instead of RDPMC";
            SessionContender one = SessionContender.OfPages("Read() of 1 counter", bare, 1, session => session.Read());
            yield return new Row(Session, one);
            yield return new Row(Session, SessionContender.OfPages("Read() of 4 counters", bare, 4, session => session.Read()), one);
            yield return new Row(Session, SessionContender.OfPages("Record() of 4 counters", bare, 4, session => session.Record()));
            yield return new Row(Session, SessionContender.OfPages("using (Measure()) of 4 counters", bare, 4, Measure));
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
            Time, new ThreadClock($"ThreadCpuClock.GetNanoseconds(){(clock.ReadsInUserSpace ? "" : ", with a system call")}", clock, Calls), call);
        if (SimulatedClock() is { } simulated)
        {
            yield return new Row(Time, new ThreadClock("ThreadCpuClock.GetNanoseconds(), simulated page", simulated, Reads), call);
        }
    }

    /// <summary>Creates the rows for simulated pages. The page of a hardware counter contains the time, so a read of one counter needs two
    /// instructions, and a read of four counters needs five. If all instructions take the same time, four counters take 2.5 times as long as one,
    /// also in C. Without the time, four counters take twice as long as one counter with the time. The rows that are compared with instructions
    /// alone show the distance from this lower bound.</summary>
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

/// <summary>Measures <see cref="ThreadCpuClock"/>.</summary>
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
        Require(_last > 0, "the CPU time of the thread is 0.");
    }
}
