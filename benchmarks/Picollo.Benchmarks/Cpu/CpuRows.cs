using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Cpu.Contenders;
using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu;

/// <summary>Who is compared with whom, and the targets.</summary>
internal sealed class CpuRows
{
    private const int OfMicroseconds = 50;

    private const SystemCpuParts WithDetails =
        SystemCpuParts.Machine | SystemCpuParts.Processes | SystemCpuParts.Memory | SystemCpuParts.Owners | SystemCpuParts.Waits;

    private readonly Reads<ThreadTotal> _threadTotal = new("CpuUsageReader.GetThreadTime()");
    private readonly Reads<ThreadSplit> _threadSplit = new("CpuUsage.GetByThread()");

    public CpuRows()
    {
        Reading = [.. OfReading()];
        Machine = [.. OfMachine()];
        Awaits = [.. OfAwaits()];
    }

    public IReadOnlyList<Row> Reading { get; }

    public IReadOnlyList<Row> Machine { get; }

    public IReadOnlyList<AwaitRow> Awaits { get; }

    public IReadOnlyList<Contender> Contenders =>
    [
        .. Reading.Concat(Machine).Select(row => row.Measured),
        .. Awaits.SelectMany(row => new[] { row.Without, row.With }).Distinct(),
    ];

    /// <summary>What Picollo reads.</summary>
    public IEnumerable<Contender> Ours =>
        Reading.Concat(Machine).Select(row => row.Measured).Where(contender => contender is not
            (Reads<BareClock> or Reads<BareResourceUsage> or Reads<BareClockAndResourceUsage> or Reads<EnvironmentUsage> or Reads<ProcessObject>));

    private IEnumerable<Row> OfReading()
    {
        const string Section = "Reading CPU time";
        Reads<BareClock>? clock = null;
        Reads<BareClockAndResourceUsage>? both = null;
        if (OperatingSystem.IsLinux())
        {
            clock = new("bare clock_gettime of the thread");
            both = new("the two bare calls");
            yield return new Row(Section, clock);
            yield return new Row(Section, new Reads<BareResourceUsage>("bare getrusage of the thread, step 4 ms"));
            yield return new Row(Section, both);
        }

        yield return new Row(Section, _threadTotal, clock, 1.1);
        yield return new Row(Section, _threadSplit, both, 1.1);
        Reads<EnvironmentUsage> environment = new("Environment.CpuUsage");
        yield return new Row(Section, environment);
        yield return new Row(Section, new Reads<ProcessSplit>("CpuUsage.GetByProcess()"), environment);
        yield return new Row(Section, new Reads<ProcessTotal>("CpuUsageReader.GetProcessTime()"), environment);
        yield return new Row(Section, new Reads<ProcessObject>("Process.GetCurrentProcess().TotalProcessorTime", OfMicroseconds), environment);
        yield return new Row(Section, new Reads<OtherThreadTotal>("GetThreadTime(id), another thread"));
        yield return new Row(Section, new Reads<OtherThreadSplit>("GetByThread(id), another thread", OfMicroseconds));
        yield return new Row(Section, new Reads<ProcessByIdTotal>("GetProcessTime(id)"));
        yield return new Row(Section, new Reads<ProcessByIdSplit>("GetByProcess(id)", OfMicroseconds));
    }

    private static IEnumerable<Row> OfMachine()
    {
        MachineUpdate all = new("everything", SystemCpuParts.All, 1);
        string section = $"SystemCpu.Update(), {all.ProcessCount} processes and {all.ThreadCount} threads here";
        yield return new Row(section, new MachineUpdate("the states alone", SystemCpuParts.None, 5));
        yield return new Row(section, new MachineUpdate("the machine as a whole", SystemCpuParts.Machine, 2));
        yield return new Row(section, new MachineUpdate("that and processes", SystemCpuParts.Machine | SystemCpuParts.Processes, 1));
        yield return new Row(section, new MachineUpdate("that and processes with memory, owners and waits", WithDetails, 1));
        yield return new Row(section, new MachineUpdate("that and processes and threads", SystemCpuParts.Machine | SystemCpuParts.Processes | SystemCpuParts.Threads, 1));
        yield return new Row(section, all);
    }

    private IEnumerable<AwaitRow> OfAwaits()
    {
        const double Limit = 2.4;
        ResumedAwaits bare = ResumedAwaits.Bare();
        YieldingAwaits yielding = new("await Task.Yield()", detail: null);
        yield return new AwaitRow(bare, ResumedAwaits.Notified(), _threadTotal);
        yield return new AwaitRow(bare, ResumedAwaits.Watched(CpuUsageDetail.TotalOnly), _threadTotal, Limit);
        yield return new AwaitRow(bare, ResumedAwaits.Watched(CpuUsageDetail.UserAndKernel), _threadSplit, Limit);
        yield return new AwaitRow(yielding, new YieldingAwaits("await Task.Yield(), TotalOnly", CpuUsageDetail.TotalOnly), _threadTotal);
        yield return new AwaitRow(yielding, new YieldingAwaits("await Task.Yield(), UserAndKernel", CpuUsageDetail.UserAndKernel), _threadSplit);
    }
}
