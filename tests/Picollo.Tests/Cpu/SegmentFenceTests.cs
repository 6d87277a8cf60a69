using System.Buffers.Binary;
using System.Reflection;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Tests all orders of the memory accesses between the end of a segment and its readers (<see cref="ThreadSegment"/>), on a CPU where a
/// write reaches the other threads one by one. These orders never occur on x64.</summary>
/// <remarks>The owner writes the version, and then reads the measured value. A reader stores its measurement, and then reads the version.
/// Two readers measure: the first one stores the value, the second one finds it and writes nothing.</remarks>
public class SegmentOrderModelTests
{
    private enum Step
    {
        WriteVersion,
        WriteNote,
        ReadVersion,
        ReadNote,
        Fence,
    }

    private static readonly Step[] Owner = [Step.WriteVersion, Step.Fence, Step.ReadNote];
    private static readonly Step[] FirstReader = [Step.WriteNote, Step.Fence, Step.ReadVersion];
    private static readonly Step[] SecondReader = [Step.ReadNote, Step.Fence, Step.ReadVersion];

    [Fact]
    public void No_measured_time_is_lost() =>
        CanLoseTime(Owner, FirstReader, HasReaderFence() ? SecondReader : Without(SecondReader)).Should().BeFalse();

    [Fact]
    public void Each_fence_is_necessary()
    {
        CanLoseTime(Without(Owner), FirstReader, SecondReader).Should().BeTrue();
        CanLoseTime(Owner, Without(FirstReader), SecondReader).Should().BeTrue();
        CanLoseTime(Owner, FirstReader, Without(SecondReader)).Should().BeTrue();
    }

    private static Step[] Without(Step[] steps) => [.. steps.Where(step => step != Step.Fence)];

    /// <summary>Whether the code has the fence of the second reader.</summary>
    private static bool HasReaderFence()
    {
        const byte Call = 0x28;
        MethodInfo method = typeof(ThreadSegment).GetMethod("StoreMeasured", BindingFlags.Instance | BindingFlags.NonPublic)!;
        byte[] code = method.GetMethodBody()!.GetILAsByteArray()!;
        return Enumerable.Range(0, code.Length - 4).Any(i => code[i] == Call && IsBarrier(BinaryPrimitives.ReadInt32LittleEndian(code.AsSpan(i + 1))));

        bool IsBarrier(int token)
        {
            try
            {
                return method.Module.ResolveMethod(token) is { Name: nameof(Interlocked.MemoryBarrier) };
            }
            catch (ArgumentException)
            {
                return false; // the byte belongs to another instruction
            }
        }
    }

    /// <summary>Whether a reader can use a measurement that the owner does not see.</summary>
    private static bool CanLoseTime(params Step[][] threads)
    {
        var seen = new HashSet<State>();
        var open = new Stack<State>([default]);
        while (open.TryPop(out State state))
        {
            if (!seen.Add(state))
            {
                continue;
            }

            bool isOver = true;
            for (int thread = 0; thread < threads.Length; thread++)
            {
                // The write of another thread arrives.
                if (state.Version != 0)
                {
                    open.Push(state with { Version = state.Version | Bit(thread) });
                }

                if (state.Note != 0)
                {
                    open.Push(state with { Note = state.Note | Bit(thread) });
                }

                if (state.PositionOf(thread) < threads[thread].Length)
                {
                    isOver = false;
                    if (After(threads[thread][state.PositionOf(thread)], thread, state) is { } next)
                    {
                        open.Push(next);
                    }
                }
            }

            if (isOver && !state.HasReadNote(0) && (!state.HasReadVersion(1) || (state.HasReadNote(2) && !state.HasReadVersion(2))))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns the state after the step, or null if a fence must wait until all writes that its thread has seen have arrived
    /// everywhere.</summary>
    private static State? After(Step step, int thread, State state)
    {
        const int Everywhere = 0b111;
        bool seesVersion = (state.Version & Bit(thread)) != 0, seesNote = (state.Note & Bit(thread)) != 0;
        State next = state with { Positions = state.Positions + (1 << (4 * thread)) };
        return step switch
        {
            Step.WriteVersion => next with { Version = Bit(thread) },
            Step.WriteNote => next with { Note = Bit(thread) },
            Step.ReadVersion => next with { ReadVersion = state.ReadVersion | (seesVersion ? Bit(thread) : 0) },
            Step.ReadNote => next with { ReadNote = state.ReadNote | (seesNote ? Bit(thread) : 0) },
            _ => (!seesVersion || state.Version == Everywhere) && (!seesNote || state.Note == Everywhere) ? next : null,
        };
    }

    private static int Bit(int thread) => 1 << thread;

    /// <param name="Positions">The next step of each thread, four bits each.</param>
    /// <param name="Version">The threads that see the new version.</param>
    /// <param name="Note">The threads that see the stored measurement.</param>
    /// <param name="ReadVersion">The threads that have read the new version.</param>
    /// <param name="ReadNote">The threads that have read the stored measurement.</param>
    private readonly record struct State(int Positions, int Version, int Note, int ReadVersion, int ReadNote)
    {
        public int PositionOf(int thread) => (Positions >> (4 * thread)) & 0xF;

        public bool HasReadVersion(int thread) => (ReadVersion & Bit(thread)) != 0;

        public bool HasReadNote(int thread) => (ReadNote & Bit(thread)) != 0;
    }
}
