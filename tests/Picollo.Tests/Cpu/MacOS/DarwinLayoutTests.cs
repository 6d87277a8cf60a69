using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Picollo.Cpu.MacOS;

namespace Picollo.Tests.Cpu.MacOS;

/// <summary>Sizes and places as the macOS SDK's headers give them for 64-bit programs; the calls themselves run only there.</summary>
public class DarwinLayoutTests
{
    [Fact]
    public void Struct_timeval_is_that_of_sys_time_h()
    {
        Unsafe.SizeOf<DarwinTimeValue>().Should().Be(16);
        Offset<DarwinTimeValue>(nameof(DarwinTimeValue.Microseconds)).Should().Be(8);

        // tv_usec is an int: whatever stands in the padding is no part of it.
        Span<long> raw = [7, unchecked((long)0xDEADBEEF_00000000) | 999_999];
        MemoryMarshal.Cast<long, DarwinTimeValue>(raw)[0].Nanoseconds.Should().Be(7_999_999_000);
    }

    [Fact]
    public void Struct_rusage_is_that_of_sys_resource_h()
    {
        Unsafe.SizeOf<DarwinResourceUsage>().Should().Be(144);
        Offset<DarwinResourceUsage>(nameof(DarwinResourceUsage.User)).Should().Be(0);
        Offset<DarwinResourceUsage>(nameof(DarwinResourceUsage.Kernel)).Should().Be(16);
    }

    [Fact]
    public void Struct_thread_basic_info_is_that_of_mach_thread_info_h()
    {
        Unsafe.SizeOf<MachTimeValue>().Should().Be(8);
        Unsafe.SizeOf<ThreadBasicInfo>().Should().Be(40);
        Offset<ThreadBasicInfo>(nameof(ThreadBasicInfo.Kernel)).Should().Be(8);
        Offset<ThreadBasicInfo>(nameof(ThreadBasicInfo.SleepTime)).Should().Be(36);
    }

    [Fact]
    public void Struct_proc_threadinfo_is_that_of_sys_proc_info_h()
    {
        Unsafe.SizeOf<ProcessThreadInfo>().Should().Be(112);
        Offset<ProcessThreadInfo>(nameof(ProcessThreadInfo.KernelNanoseconds)).Should().Be(8);
        Offset<ProcessThreadInfo>(nameof(ProcessThreadInfo.RunState)).Should().Be(24);
        Offset<ProcessThreadInfo>(nameof(ProcessThreadInfo.MaxPriority)).Should().Be(44);
    }

    [Fact]
    public void Struct_rusage_info_v0_is_that_of_sys_resource_h()
    {
        Unsafe.SizeOf<ResourceUsageInfo>().Should().Be(96);
        Offset<ResourceUsageInfo>(nameof(ResourceUsageInfo.User)).Should().Be(16);
        Offset<ResourceUsageInfo>(nameof(ResourceUsageInfo.Kernel)).Should().Be(24);
        Offset<ResourceUsageInfo>(nameof(ResourceUsageInfo.Started)).Should().Be(80);
        Offset<ResourceUsageInfo>(nameof(ResourceUsageInfo.Ended)).Should().Be(88);
    }

    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(0, 1, 1_000)]
    [InlineData(int.MaxValue, 999_999, 2_147_483_647_999_999_000)]
    public void A_time_value_of_two_ints_is_nanoseconds(int seconds, int microseconds, long nanoseconds) =>
        new MachTimeValue { Seconds = seconds, Microseconds = microseconds }.Nanoseconds.Should().Be(nanoseconds);

    private static int Offset<T>(string field) => (int)Marshal.OffsetOf<T>(field);
}
