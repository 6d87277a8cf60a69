using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Perf.Contenders;
using Picollo.Cpu;
using Picollo.Interop.Native;
using Picollo.PerfEvent;

namespace Picollo.Benchmarks.Perf;

/// <summary>Who is compared with whom, and the targets.</summary>
internal static class PerfRows
{
    public static IEnumerable<Row> Create(BareReads? bare)
    {
        if (bare is not null)
        {
            foreach (Row row in OfPages(bare, "Simulated pages, RDTSC in the place of RDPMC", ofNothing: false)
                .Concat(OfPages(bare, "Simulated pages, instructions that take no time", ofNothing: true)))
            {
                yield return row;
            }

            const string Session = "A session on simulated pages, RDTSC in the place of RDPMC";
            PageReads one = new("Read() of 1", bare, 1, session => session.Read());
            yield return new Row(Session, one);
            yield return new Row(Session, new PageReads("Read() of 4", bare, 4, session => session.Read()), one);
            yield return new Row(Session, new PageReads("Record() of 4", bare, 4, session => session.Record()));
            yield return new Row(Session, new PageReads("using (Measure()) of 4", bare, 4, Measure));
        }

        const string Kernel = "A session of six software counters";
        BareGroupRead read = new();
        yield return new Row(Kernel, read);
        yield return new Row(Kernel, new GroupOfSix("Read(forceSyscallRead: true)", session => session.Read(forceSyscallRead: true)), read, 1.1);
        yield return new Row(Kernel, new GroupOfSix("Read()", session => session.Read()), read);
        yield return new Row(Kernel, new GroupOfSix("Record()", session => session.Record()));
        yield return new Row(Kernel, new GroupOfSix("using (Measure())", Measure), read);

        const string Time = "The thread's CPU time";
        ThreadTime call = new();
        ThreadCpuClock clock = new();
        yield return new Row(Time, call);
        yield return new Row(
            Time, new ThreadClock($"ThreadCpuClock.GetNanoseconds(){(clock.ReadsInUserSpace ? "" : ", by the kernel here")}", clock, PerfOperations.Calls), call);
        if (SimulatedClock() is { } simulated)
        {
            yield return new Row(Time, new ThreadClock("ThreadCpuClock.GetNanoseconds(), simulated page", simulated, PerfOperations.Reads), call);
        }
    }

    /// <summary>A hardware counter's page has the time, so a read is two instructions, and of four counters five: where both take as
    /// long, four take 2.5 times as long as one, in C too.</summary>
    private static IEnumerable<Row> OfPages(BareReads bare, string section, bool ofNothing)
    {
        LoopInC both = new(bare, 1, withCalls: true, ofNothing);
        ShimReads one = new(bare, 1, ofNothing);
        yield return new Row(section, new EmptyCall(bare));
        yield return new Row(section, new LoopInC(bare, 1, withCalls: false, ofNothing));
        yield return new Row(section, both);
        yield return new Row(section, one, both, 1.2);
        yield return new Row(section, new LoopInC(bare, 4, withCalls: false, ofNothing), one);
        yield return new Row(section, new ShimReads(bare, 4, ofNothing), one, 2);
    }

    private static void Measure(PerfEventCounterSession session)
    {
        using (session.Measure())
        {
        }
    }

    private static unsafe ThreadCpuClock? SimulatedClock() => NativeShim.Current.ReadThreadTime != null
        ? new ThreadCpuClock(SimulatedPages.Page(index: 0), NativeShim.Current.ReadThreadTime, CpuUsageReader.GetThreadTime)
        : null;
}
