using System.Reflection;
using System.Reflection.Emit;
using Picollo.Cpu;
using Picollo.Tests.Conventions;

namespace Picollo.Tests.Cpu;

/// <summary>The owner of a segment writes the version, and then reads the measured value. A reader stores its measurement, and then reads
/// the version. If it finds the value of another reader, it writes nothing, so there is no interlocked instruction that is a fence. Without
/// a fence, a CPU on which a write reaches the other threads one by one (never x64) can lose the measured time.</summary>
public class SegmentFenceTests
{
    [Fact]
    public void A_reader_that_finds_the_value_of_another_reader_has_a_fence()
    {
        MethodInfo method = typeof(ThreadSegment).GetMethod("StoreMeasured", BindingFlags.Instance | BindingFlags.NonPublic)!;

        DependencyTests.MembersIn(method.GetMethodBody()!.GetILAsByteArray()!, method)
            .Should().Contain(use => use.Instruction == OpCodes.Call && use.Member.Name == nameof(Interlocked.MemoryBarrier));
    }
}
