namespace Picollo.Cpu;

/// <summary>A state of a flow: what it does, or waits for, at a moment. Each moment of its duration belongs to exactly one state (the parts
/// of <see cref="Cpu"/> excepted).</summary>
public enum LatencyState
{
    /// <summary>A thread runs the flow on a CPU.</summary>
    Cpu,

    /// <summary>The part of <see cref="Cpu"/> in the program. Only with <see cref="CpuUsageDetail.UserAndKernel"/>.</summary>
    CpuUser,

    /// <summary>The part of <see cref="Cpu"/> in the kernel. Only with <see cref="CpuUsageDetail.UserAndKernel"/>.</summary>
    CpuKernel,

    /// <summary>The thread could run, but has no CPU: others use it, or the CPU limit of the container is reached.</summary>
    RunQueue,

    /// <summary>A garbage collection has stopped the thread.</summary>
    GarbageCollection,

    /// <summary>The thread waits for a <c>lock</c>, a <see cref="Monitor"/> or a <see cref="System.Threading.Lock"/>.</summary>
    Lock,

    /// <summary>The thread waits for something else: synchronous I/O, a sleep, <see cref="Task.Wait()"/>, a semaphore. Contains the states
    /// without a source.</summary>
    Blocked,

    /// <summary>No thread runs the flow, because its continuation waits for a thread of the pool.</summary>
    PoolQueue,

    /// <summary>No thread runs the flow: it awaits something.</summary>
    Await,
}

/// <summary>The duration of a flow, divided into states. The states add up exactly to the duration.</summary>
/// <remarks>
/// <para>A state without a source (on this system, or because no <c>RuntimeMeter</c> runs in this process) is absent: its time is part of
/// another state, that of <see cref="LatencyState.RunQueue"/> and <see cref="LatencyState.Lock"/> of <see cref="LatencyState.Blocked"/>,
/// that of <see cref="LatencyState.PoolQueue"/> of <see cref="LatencyState.Await"/>.</para>
/// <para>If several threads run a flow at the same time, their states are scaled to the time in which at least one of them runs it.</para>
/// </remarks>
public readonly record struct LatencyBreakdown
{
    private readonly LatencyTimes _times;
    private readonly LatencyStates _present;
    private readonly LatencyStates _estimated;

    internal LatencyBreakdown(in LatencyTimes times, LatencyStates present, LatencyStates estimated) =>
        (_times, _present, _estimated) = (times, present, estimated);

    /// <summary>The duration of the flow: the sum of all states.</summary>
    public TimeSpan WallTime => TimeSpan.FromTicks(WallNanoseconds / TimeSpan.NanosecondsPerTick);

    /// <summary>The duration of the flow in nanoseconds: the sum of all states.</summary>
    public long WallNanoseconds =>
        _times.Cpu + _times.RunQueue + _times.Collection + _times.Lock + _times.Blocked + _times.PoolQueue + _times.Await;

    /// <summary>The time in a state; <see langword="null"/> if the state has no source.</summary>
    /// <param name="state">The state.</param>
    /// <exception cref="ArgumentOutOfRangeException">The state is not defined in the enumeration.</exception>
    public TimeSpan? this[LatencyState state] =>
        GetNanoseconds(state) is { } nanoseconds ? TimeSpan.FromTicks(nanoseconds / TimeSpan.NanosecondsPerTick) : null;

    /// <summary>Returns the time in a state.</summary>
    /// <param name="state">The state.</param>
    /// <returns>Nanoseconds, at least 0; <see langword="null"/> if the state has no source.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The state is not defined in the enumeration.</exception>
    public long? GetNanoseconds(LatencyState state)
    {
        long nanoseconds = state switch
        {
            LatencyState.Cpu => _times.Cpu,
            LatencyState.CpuUser => _times.Cpu - _times.Kernel,
            LatencyState.CpuKernel => _times.Kernel,
            LatencyState.RunQueue => _times.RunQueue,
            LatencyState.GarbageCollection => _times.Collection,
            LatencyState.Lock => _times.Lock,
            LatencyState.Blocked => _times.Blocked,
            LatencyState.PoolQueue => _times.PoolQueue,
            LatencyState.Await => _times.Await,
            _ => throw new ArgumentOutOfRangeException(nameof(state), state, "The state is not defined."),
        };
        return Contains(_present, state) ? nanoseconds : null;
    }

    /// <summary>Returns whether the time in a state is an estimate: that of <see cref="LatencyState.PoolQueue"/> always, and that of
    /// <see cref="LatencyState.GarbageCollection"/> if a thread may have waited for something else during a collection (it is then an upper
    /// bound).</summary>
    /// <param name="state">The state.</param>
    public bool IsEstimated(LatencyState state) => Contains(_estimated, state);

    /// <summary>Formats the duration and the states that are not 0, the longest first: <c>47.1 ms: lock 24.6, blocked 19.8, cpu
    /// 2.7</c>.</summary>
    /// <returns>Culture-invariant text. An estimate has the prefix <c>~</c>.</returns>
    public override string ToString()
    {
        LatencyBreakdown self = this;
        IEnumerable<string> parts =
            from state in LatencyStateValues.Disjoint
            let nanoseconds = self.GetNanoseconds(state) ?? 0
            where nanoseconds > 0
            orderby nanoseconds descending
            select $"{state.Name()} {(self.IsEstimated(state) ? "~" : "")}{Milliseconds(nanoseconds)}";
        return $"{Milliseconds(WallNanoseconds)} ms: {string.Join(", ", parts)}";

        static string Milliseconds(long nanoseconds) => (nanoseconds / 1e6).ToString("0.0##", CultureInfo.InvariantCulture);
    }

    private static bool Contains(LatencyStates states, LatencyState state) => ((int)states >> (int)state & 1) != 0;
}

/// <summary>A set of <see cref="LatencyState"/>s: each has the bit of its number.</summary>
[Flags]
internal enum LatencyStates : ushort
{
    Cpu = 1 << LatencyState.Cpu,
    Split = 1 << LatencyState.CpuUser | 1 << LatencyState.CpuKernel,
    RunQueue = 1 << LatencyState.RunQueue,
    GarbageCollection = 1 << LatencyState.GarbageCollection,
    Lock = 1 << LatencyState.Lock,
    Blocked = 1 << LatencyState.Blocked,
    PoolQueue = 1 << LatencyState.PoolQueue,
    Await = 1 << LatencyState.Await,
}

/// <summary>The states, and their names in text, JSON, metrics and spans.</summary>
internal static class LatencyStateValues
{
    private static readonly string[] Names =
        ["cpu", "cpu.user", "cpu.kernel", "run_queue", "gc", "lock", "blocked", "pool_queue", "await"];

    public static readonly LatencyState[] All = Enum.GetValues<LatencyState>();

    /// <summary>The states that add up to the duration: without the parts of <see cref="LatencyState.Cpu"/>.</summary>
    public static IReadOnlyList<LatencyState> Disjoint { get; } =
        [.. All.Where(state => state is not (LatencyState.CpuUser or LatencyState.CpuKernel))];

    public static string Name(this LatencyState state) => Names[(int)state];
}
