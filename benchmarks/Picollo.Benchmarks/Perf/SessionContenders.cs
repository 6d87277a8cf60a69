using Picollo.Interop.Linux;
using Picollo.PerfEvent;

namespace Picollo.Benchmarks.Perf;

/// <summary>read(2) of a group of six of the kernel's counters, and nothing else.</summary>
internal sealed unsafe class BareGroupRead : Contender
{
    public static PerfSoftwareCounterId[] Ids { get; } =
    [
        PerfSoftwareCounterId.PageFaults, PerfSoftwareCounterId.MinorPageFaults, PerfSoftwareCounterId.MajorPageFaults,
        PerfSoftwareCounterId.ContextSwitches, PerfSoftwareCounterId.CpuMigrations, PerfSoftwareCounterId.AlignmentFaults,
    ];

    private readonly List<PerfEventFile> _files = [];
    private long _read;

    public BareGroupRead()
        : base($"bare read(2) of a group of {Ids.Length}", PerfComparison.Calls)
    {
        foreach (PerfSoftwareCounterId id in Ids)
        {
            PerfEventAttributes attributes = new()
            {
                Type = PerfTypeId.Software,
                Size = PerfEventAttributes.Version1Size,
                Config = (ulong)id,
                ReadFormat = PerfReadFormat.Group | PerfReadFormat.TotalTimeEnabled | PerfReadFormat.TotalTimeRunning,
            };
            PerfEventFile file = PerfEventFile.TryOpen(attributes, thread: 0, cpu: -1, _files.FirstOrDefault(), out int error)
                ?? throw new InvalidOperationException($"perf_event_open of {id}: error {error}.");
            file.Map();
            _files.Add(file);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    [SkipLocalsInit]
    public override void Run(int operations)
    {
        nuint length = (nuint)(3 + _files.Count) * sizeof(ulong);
        ulong* buffer = stackalloc ulong[3 + Ids.Length];
        int file = _files[0].Number;
        for (int i = 0; i < operations; i++)
        {
            _read = LibC.read_counter(file, buffer, length);
        }
    }

    public override void Verify()
    {
        Run(1);
        Require(_read == (3 + Ids.Length) * sizeof(ulong), $"{_read} bytes.");
    }
}

/// <summary>An operation of a session: reading, recording or measuring.</summary>
/// <param name="session">A session of counters of the kernel or on simulated pages.</param>
internal sealed class SessionContender(
    string name, PerfEventCounterSession session, int operations, Action<PerfEventCounterSession> operation)
    : Contender(name, operations)
{
    /// <summary>Whether its counters are on simulated pages, which no read may ask the kernel for.</summary>
    public bool IsOfPages { get; init; }

    /// <summary>Six of the kernel's counters, in one group.</summary>
    public static SessionContender OfSix(string name, Action<PerfEventCounterSession> operation) => new(
        name,
        BareGroupRead.Ids.Aggregate(PerfEventCounterSession.Factory.WithKernel(true), (factory, id) => factory.WithSoftwareCounter(id)).Create(),
        PerfComparison.Calls,
        operation);

    public static SessionContender OfPages(string name, BareLibrary bare, int count, Action<PerfEventCounterSession> operation)
    {
        PerfEventSettings settings = new()
        {
            Counters = [.. Enumerable.Range(0, count).Select(i => new PerfEventNumbers(
                $"counter {i}", new PerfEventDefinition(PerfTypeId.Software, (ulong)PerfSoftwareCounterId.Dummy)))],
        };
        PerfEventCounterSession session = PerfEventCounterSession.Open(settings, PerfEventSources.System, (_, _) => Pages(bare, count));
        return new(name, session, PerfComparison.Reads, operation) { IsOfPages = true };
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            operation(session);
        }
    }

    public override void Verify()
    {
        session.Read();
        Require(!IsOfPages || session.WasReadInUserSpace, "asks the kernel.");
    }

    private static unsafe PerfPages Pages(BareLibrary bare, int count)
    {
        nint[] pages = [.. Enumerable.Range(1, count).Select(index => (nint)SimulatedPages.Page((uint)index))];
        return new PerfPages(pages, bare.Read, bare.ReadCounts);
    }
}
