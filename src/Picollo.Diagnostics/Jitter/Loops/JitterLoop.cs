using Picollo.Interop.Linux;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary>A managed version of jitter_run in native/picollo_jitter.c, for systems without the native library. It does not allocate.
/// However, each of its system calls returns to managed code, which waits during a garbage collection of this process.</summary>
internal static unsafe class JitterLoop
{
    public static int Run<TClock>(JitterState* state, TClock clock)
        where TClock : struct, IJitterClock
    {
        ulong slotCount = state->SlotCount, mask = slotCount - 1, head = state->Head, lost = 0;
        ulong due = clock.Now + state->Interval;
        int result = JitterState.Done;
        state->FirstDue = due;
        for (ulong left = state->Loops; left > 0; left--, due += state->Interval)
        {
            int error;
            while ((error = clock.SleepUntil(due)) == Errno.EINTR)
            {
            }

            if (error != 0)
            {
                result = -error;
                break;
            }

            ulong woken = clock.Now, latency = woken > due ? woken - due : 0;
            ulong available = slotCount - (head - Volatile.Read(ref state->Tail));
            if (available < (lost > 0 ? 2UL : 1UL))
            {
                lost++;
            }
            else
            {
                if (lost > 0)
                {
                    state->Samples[head++ & mask] = lost | JitterState.LostMark;
                    lost = 0;
                }

                state->Samples[head++ & mask] = latency & ~JitterState.LostMark;
                Volatile.Write(ref state->Head, head);
            }

            if (latency > state->BreakAbove)
            {
                state->BrokeAt = latency;
                result = JitterState.Broken;
                break;
            }

            if (Volatile.Read(ref state->Stop) != 0)
            {
                break;
            }
        }

        state->Lost = lost;
        return result;
    }
}

/// <summary>The clock of the managed loop. Implemented by structures, so that its calls are inlined into the loop.</summary>
internal interface IJitterClock
{
    /// <summary>The current time, in nanoseconds.</summary>
    ulong Now { get; }

    /// <summary>Sleeps until the time <paramref name="due"/>, and returns immediately if it has passed. Returns an error number, or
    /// 0.</summary>
    int SleepUntil(ulong due);
}
