using System.Runtime.InteropServices;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics.Tests;

/// <summary>A clock that passes when it is slept by: sleep i ends so much after its moment, or after now where that has passed. The same
/// for the managed loop and, called back, for the native one; each thread has its own.</summary>
internal sealed class JitterScript(params ulong[] lateBy)
{
    public const ulong Start = 1_000_000;

    [ThreadStatic]
    private static JitterScript? _current;

    public ulong Time { get; set; } = Start;

    public int Sleeps { get; private set; }

    /// <summary>How many sleeps a signal interrupts first.</summary>
    public int Interruptions { get; set; }

    /// <summary>An error number, and whether to give it.</summary>
    public int Refusal { get; set; }

    /// <summary>Called in each sleep, with how many there were before.</summary>
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

    /// <summary>What the loop must find, computed in the plainest way.</summary>
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
