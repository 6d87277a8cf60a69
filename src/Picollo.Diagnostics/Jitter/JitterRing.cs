using System.Numerics;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary>The ring of samples between a loop and its reader. The memory contains the state of the loop and, from the next page on, the
/// samples. This class is the reader's side, for one thread.</summary>
internal sealed unsafe class JitterRing : IDisposable
{
    // The ring holds the samples of 10 s, if they fit. A process that cannot run for longer has more serious problems.
    private const ulong CapacityNanoseconds = 10_000_000_000;
    private const ulong MinSlots = 8_192;
    private const ulong MaxSlots = 131_072;

    private readonly IJitterSystem _system;
    private readonly nuint _bytes;
    private ulong _next;

    public JitterRing(IJitterSystem system, JitterPlan plan, ReasonList reasons, ulong? fixedSlotCount = null)
    {
        ulong slotCount = fixedSlotCount ?? SlotCountFor(plan.Interval);
        Debug.Assert(BitOperations.IsPow2(slotCount) && slotCount >= 2, "A mask selects the slot; a lost count and a sample need two.");
        nuint page = (nuint)Environment.SystemPageSize;
        _system = system;
        _bytes = page + ((nuint)slotCount * sizeof(ulong));
        State = (JitterState*)system.Allocate(_bytes, reasons);
        State->Interval = plan.Interval;
        State->Loops = plan.Loops;
        State->BreakAbove = plan.BreakAbove;
        State->SlotCount = slotCount;
        State->Samples = (ulong*)((byte*)State + page);
    }

    /// <summary>Receives samples without a gap, from the due time of the first one on. The latencies are valid during the call.</summary>
    public delegate void Batch(ulong due, ReadOnlySpan<ulong> latencies);

    /// <summary>The state of the loop; null after disposal.</summary>
    public JitterState* State { get; private set; }

    public static ulong SlotCountFor(ulong interval) =>
        BitOperations.RoundUpToPowerOf2(Math.Clamp(CapacityNanoseconds / interval, MinSlots, MaxSlots));

    /// <summary>Empties the ring and returns the number of lost samples that it recorded.</summary>
    public ulong Drain(Batch take)
    {
        ulong head = Volatile.Read(ref State->Head), tail = State->Tail, lost = 0;
        while (tail != head)
        {
            ulong index = tail & (State->SlotCount - 1);
            ReadOnlySpan<ulong> samples = new(State->Samples + index, (int)Math.Min(head - tail, State->SlotCount - index));
            int gap = samples.IndexOfAnyInRange(JitterState.LostMark, ulong.MaxValue);
            if (gap == 0)
            {
                ulong count = samples[0] & ~JitterState.LostMark;
                _next += count;
                lost += count;
                tail++;
            }
            else
            {
                samples = gap > 0 ? samples[..gap] : samples;
                take(State->FirstDue + (_next * State->Interval), samples);
                _next += (ulong)samples.Length;
                tail += (ulong)samples.Length;
            }

            Volatile.Write(ref State->Tail, tail);
        }

        return lost;
    }

    public void Dispose()
    {
        if (State != null)
        {
            _system.Free(State, _bytes);
            State = null;
        }
    }
}
