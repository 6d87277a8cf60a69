using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu;

/// <summary><c>compare cpu</c>: measures readings of CPU time, awaits and <see cref="SystemCpu"/>, in less than a minute.</summary>
internal static class CpuComparison
{
    public const string Name = "cpu";

    private const int Repetitions = 201;
    private const int OfMicroseconds = 50;

    private const SystemCpuParts WithDetails =
        SystemCpuParts.Machine | SystemCpuParts.Processes | SystemCpuParts.Memory | SystemCpuParts.Owners | SystemCpuParts.Waits;

    private static readonly Reads ThreadTotal = new("CpuUsageReader.GetThreadTimeNanoseconds()", CpuUsageReader.GetThreadTimeNanoseconds);
    private static readonly Reads ThreadSplit = new("CpuUsageReader.GetByThread()", () => CpuUsageReader.GetByThread().TotalNanoseconds);

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        List<Row> reading = [.. OfReading(), .. OfMachine()];
        List<AwaitRow> awaits = [.. OfAwaits()];
        List<Contender> readers = [.. reading.Select(row => row.Measured)];
        Dictionary<Contender, Figures> figures = Interleaver.Measure(
            [.. readers, .. awaits.SelectMany(row => new[] { row.Without, row.With }).Distinct()], Repetitions);
        TimeReport.Print(output, reading, figures);
        AwaitRow.Print(output, awaits, figures);
        CpuFacts.PrintAllocations(
            output, [.. readers.Where(contender => contender is not Reads { IsOurs: false }), .. awaits.Select(row => row.With)]);
        CpuFacts.PrintSteps(output);
        return 0;
    }

    private static IEnumerable<Row> OfReading()
    {
        const string Section = "Reading CPU time";
        Reads? clock = null;
        Reads? both = null;
        if (OperatingSystem.IsLinux())
        {
            clock = new("clock_gettime of the thread alone", BareReads.Clock) { IsOurs = false };
            both = new("clock_gettime and getrusage of the thread", BareReads.ClockAndResourceUsage) { IsOurs = false };
            yield return new Row(Section, clock);
            yield return new Row(Section, new Reads("getrusage of the thread alone, step 4 ms", BareReads.ResourceUsage) { IsOurs = false });
            yield return new Row(Section, both);
        }

        int process = Environment.ProcessId;
        long thread = OtherThread.Start();
        Reads environment = new("Environment.CpuUsage", () => Environment.CpuUsage.TotalTime.Ticks * TimeSpan.NanosecondsPerTick) { IsOurs = false };
        yield return new Row(Section, ThreadTotal, clock, 1.1);
        yield return new Row(Section, ThreadSplit, both, 1.1);
        yield return new Row(Section, environment);
        yield return new Row(Section, new Reads("CpuUsageReader.GetByProcess()", () => CpuUsageReader.GetByProcess().TotalNanoseconds), environment);
        yield return new Row(Section, new Reads("CpuUsageReader.GetProcessTimeNanoseconds()", CpuUsageReader.GetProcessTimeNanoseconds), environment);
        yield return new Row(
            Section, new Reads("Process.GetCurrentProcess().TotalProcessorTime", BareReads.ProcessObject, OfMicroseconds) { IsOurs = false }, environment);
        yield return new Row(Section, new Reads("GetThreadTimeNanoseconds(id), another thread", () => CpuUsageReader.GetThreadTimeNanoseconds(thread)));
        yield return new Row(
            Section, new Reads("GetByThread(id), another thread", () => CpuUsageReader.GetByThread(thread).TotalNanoseconds, OfMicroseconds));
        yield return new Row(Section, new Reads("GetProcessTimeNanoseconds(id)", () => CpuUsageReader.GetProcessTimeNanoseconds(process)));
        yield return new Row(
            Section, new Reads("GetByProcess(id)", () => CpuUsageReader.GetByProcess(process).TotalNanoseconds, OfMicroseconds));
    }

    private static IEnumerable<Row> OfMachine()
    {
        SystemCpu all = new(SystemCpuParts.All);
        string section = $"SystemCpu.Update() with {all.Processes.Count} processes and {all.Threads.Count} threads";
        yield return Update("CPU states only", new(SystemCpuParts.None), 5);
        yield return Update("machine", new(SystemCpuParts.Machine), 2);
        yield return Update("machine, processes", new(SystemCpuParts.Machine | SystemCpuParts.Processes));
        yield return Update("machine, processes with memory, owners and waits", new(WithDetails));
        yield return Update("machine, processes, threads", new(SystemCpuParts.Machine | SystemCpuParts.Processes | SystemCpuParts.Threads));
        yield return Update("all parts", all);

        Row Update(string name, SystemCpu cpu, int operations = 1) => new(section, new Repeated(name, operations, () => cpu.Update()));
    }

    private static IEnumerable<AwaitRow> OfAwaits()
    {
        const double Limit = 2.4;
        ResumedAwaits bare = ResumedAwaits.Bare();
        YieldingAwaits yielding = new("await Task.Yield()", detail: null);
        yield return new AwaitRow(bare, ResumedAwaits.Notified(), ThreadTotal);
        yield return new AwaitRow(bare, ResumedAwaits.Watched(CpuUsageDetail.TotalOnly), ThreadTotal, Limit);
        yield return new AwaitRow(bare, ResumedAwaits.Watched(CpuUsageDetail.UserAndKernel), ThreadSplit, Limit);
        yield return new AwaitRow(yielding, new YieldingAwaits("await Task.Yield(), TotalOnly", CpuUsageDetail.TotalOnly), ThreadTotal);
        yield return new AwaitRow(yielding, new YieldingAwaits("await Task.Yield(), UserAndKernel", CpuUsageDetail.UserAndKernel), ThreadSplit);
    }
}
