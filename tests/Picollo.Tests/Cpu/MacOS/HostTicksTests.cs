using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Cpu.MacOS;
using Picollo.Interop.MacOS;

namespace Picollo.Tests.Cpu.MacOS;

public class HostTicksTests
{
    [Fact]
    public void Struct_processor_cpu_load_info_matches_mach_processor_info_h()
    {
        Unsafe.SizeOf<ProcessorTicks>().Should().Be(16);
        Marshal.OffsetOf<ProcessorTicks>(nameof(ProcessorTicks.User)).Should().Be(0);
        Marshal.OffsetOf<ProcessorTicks>(nameof(ProcessorTicks.System)).Should().Be(4);
        Marshal.OffsetOf<ProcessorTicks>(nameof(ProcessorTicks.Idle)).Should().Be(8);
        Marshal.OffsetOf<ProcessorTicks>(nameof(ProcessorTicks.Nice)).Should().Be(12);
    }

    [Fact]
    public void A_tick_is_10_ms_and_other_states_are_absent()
    {
        HostTicks ticks = default;
        ticks.Add(new ProcessorTicks { User = 1, System = 2, Idle = 3, Nice = uint.MaxValue });

        ticks.States[CpuState.User].Should().Be(TimeSpan.FromMilliseconds(10));
        ticks.States[CpuState.System].Should().Be(TimeSpan.FromMilliseconds(20));
        ticks.States[CpuState.Idle].Should().Be(TimeSpan.FromMilliseconds(30));
        ticks.States[CpuState.Nice].Should().Be(TimeSpan.FromMilliseconds(10) * uint.MaxValue);
        new[] { ticks.States[CpuState.IOWait], ticks.States[CpuState.HardIrq], ticks.States[CpuState.SoftIrq], ticks.States[CpuState.Steal], ticks.States[CpuState.Guest] }
            .Should().OnlyContain(state => state == null);
        ticks.Plus(ticks).States[CpuState.Idle].Should().Be(TimeSpan.FromMilliseconds(60));
    }

    [Fact]
    public void A_decrease_of_a_counter_is_counted_as_0()
    {
        HostTicks ticks = default;
        ticks.Add(new ProcessorTicks { User = 100 });
        ticks.Add(new ProcessorTicks { User = 98 });
        ticks.States[CpuState.User].Should().Be(TimeSpan.FromSeconds(1));
        ticks.Add(new ProcessorTicks { User = 99 });
        ticks.States[CpuState.User].Should().Be(TimeSpan.FromSeconds(1.01));
    }

    [Fact]
    public void Differences_between_readings_add_up() => Seeded.Run(200, random =>
    {
        HostTicks ticks = default;
        uint shown = (uint)random.NextInt64(uint.MaxValue);
        long expected = shown;
        ticks.Add(new ProcessorTicks { System = shown });
        for (int i = 0; i < 20; i++)
        {
            uint passed = (uint)random.Next(int.MaxValue);
            expected += passed;
            shown = unchecked(shown + passed);
            ticks.Add(new ProcessorTicks { System = shown });
        }

        ticks.States[CpuState.System].Should().Be(TimeSpan.FromMilliseconds(10) * expected);
    });
}
