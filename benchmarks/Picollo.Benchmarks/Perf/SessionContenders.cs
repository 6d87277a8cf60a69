using Picollo.Interop.Linux;
using Picollo.PerfEvent;

namespace Picollo.Benchmarks.Perf;

/// <summary>Measures only read(2) of a group of six software counters.</summary>
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
        : base($"read(2) alone of a group of {Ids.Length} counters", PerfComparison.Calls)
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
                ?? throw new InvalidOperationException($"perf_event_open failed for {id} with error {error}.");
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
        Require(_read == (3 + Ids.Length) * sizeof(ulong), $"read {_read} bytes; expected {(3 + Ids.Length) * sizeof(ulong)}.");
    }
}

/// <summary>Measures an operation of a session: reading, recording or measuring.</summary>
/// <param name="name">The name of the contender.</param>
/// <param name="session">A session with software counters, or with counters on simulated pages.</param>
/// <param name="operations">The number of operations in a repetition.</param>
/// <param name="operation">The operation.</param>
internal sealed class SessionContender(
    string name, PerfEventCounterSession session, int operations, Action<PerfEventCounterSession> operation)
    : Contender(name, operations)
{
    /// <summary><see langword="true"/> if the counters are on simulated pages. In this case, reads must not use a system call.</summary>
    public bool IsOfPages { get; init; }

    /// <summary>Creates a contender with six software counters in one group.</summary>
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
        Require(!IsOfPages || session.WasReadInUserSpace, "the read used a system call.");
    }

    private static unsafe PerfPages Pages(BareLibrary bare, int count)
    {
        nint[] pages = [.. Enumerable.Range(1, count).Select(index => (nint)SimulatedPages.Page((uint)index))];
        return new PerfPages(pages, bare.Read, bare.ReadCounts);
    }
}
