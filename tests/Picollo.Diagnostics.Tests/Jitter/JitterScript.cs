using System.Runtime.InteropServices;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics.Tests;

/// <summary>A clock that advances during sleeps: sleep i ends a specified time after its due time, or after now if that has passed. It is
/// used by the managed loop and, through callbacks, by the native one. Each thread has its own clock.</summary>
internal sealed class JitterScript(params ulong[] lateBy)
{
    public const ulong Start = 1_000_000;

    [ThreadStatic]
    private static JitterScript? _current;

    public ulong Time { get; set; } = Start;

    public int Sleeps { get; private set; }

    /// <summary>The number of sleeps that a signal interrupts first.</summary>
    public int Interruptions { get; set; }

    /// <summary>The error number that a sleep returns; 0 for none.</summary>
    public int Refusal { get; set; }

    /// <summary>The callback for each sleep, which receives the number of earlier sleeps.</summary>
    public Action<int>? Meanwhile { get; init; }

    public ulong Now => Time;

    public int SleepUntil(ulong due)
    {
        if (Interruptions-- > 0)
        {
            Time += 10;
            return 4;
        }

        if (Refusal != 0)
        {
            return Refusal;
        }

        Meanwhile?.Invoke(Sleeps);
        Time = Math.Max(Time, due) + (Sleeps < lateBy.Length ? lateBy[Sleeps] : 0);
        Sleeps++;
        return 0;
    }

    /// <summary>Computes the expected latencies in the simplest way.</summary>
    public static ulong[] Latencies(ulong interval, ulong[] lateBy)
    {
        ulong[] latencies = new ulong[lateBy.Length];
        ulong now = Start;
        for (int i = 0; i < lateBy.Length; i++)
        {
            ulong due = Start + ((ulong)(i + 1) * interval);
            now = Math.Max(now, due) + lateBy[i];
            latencies[i] = now - due;
        }

        return latencies;
    }

    public unsafe int RunManaged(JitterState* state) => JitterLoop.Run(state, new Clock(this));

    public unsafe int RunNative(JitterState* state)
    {
        _current = this;
        return NativeLoop.RunWith(state, &NativeSleep, &NativeNow);
    }

    [UnmanagedCallersOnly]
    private static int NativeSleep(ulong due) => _current!.SleepUntil(due);

    [UnmanagedCallersOnly]
    private static ulong NativeNow() => _current!.Now;

    private readonly struct Clock(JitterScript script) : IJitterClock
    {
        public ulong Now => script.Now;

        public int SleepUntil(ulong due) => script.SleepUntil(due);
    }
}
