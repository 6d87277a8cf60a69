using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Cpu.MacOS;
using Picollo.Interop.MacOS;

namespace Picollo.Tests.Cpu.MacOS;

/// <summary>Sizes and offsets in the macOS SDK headers for 64-bit programs. The calls themselves run only on macOS.</summary>
public class DarwinLayoutTests
{
    [Fact]
    public void Struct_timeval_matches_sys_time_h()
    {
        Unsafe.SizeOf<DarwinTimeValue>().Should().Be(16);
        Offsets<DarwinTimeValue>(nameof(DarwinTimeValue.Microseconds)).Should().Equal(8);

        // tv_usec is an int; the padding is not part of it.
        Span<long> raw = [7, unchecked((long)0xDEADBEEF_00000000) | 999_999];
        MemoryMarshal.Cast<long, DarwinTimeValue>(raw)[0].Nanoseconds.Should().Be(7_999_999_000);
    }

    [Fact]
    public void The_resident_size_of_struct_rusage_is_in_bytes()
    {
        // ru_utime, ru_stime, and the fourteen numbered counts.
        Span<long> raw = [1, 2, 3, 4, .. Enumerable.Range(10, 14).Select(number => (long)number)];
        MacResourceUsage.ToUsage(MemoryMarshal.Cast<long, DarwinResourceUsage>(raw)[0]).Should().Be(new ResourceUsage
        {
            Cpu = new CpuUsage(1_000_002_000, 3_000_004_000),
            MaxResidentBytes = 10,
            MinorPageFaults = 14,
            MajorPageFaults = 15,
            BlockInputOperations = 17,
            BlockOutputOperations = 18,
            VoluntaryContextSwitches = 22,
            InvoluntaryContextSwitches = 23,
        });
    }

    [Fact]
    public void Struct_thread_basic_info_matches_mach_thread_info_h()
    {
        Unsafe.SizeOf<MachTimeValue>().Should().Be(8);
        Unsafe.SizeOf<ThreadBasicInfo>().Should().Be(40);
        Offsets<ThreadBasicInfo>(nameof(ThreadBasicInfo.Kernel), nameof(ThreadBasicInfo.SleepTime)).Should().Equal(8, 36);
    }

    [Fact]
    public void Struct_proc_threadinfo_matches_sys_proc_info_h()
    {
        Unsafe.SizeOf<ProcessThreadInfo>().Should().Be(112);
        Offsets<ProcessThreadInfo>(
            nameof(ProcessThreadInfo.KernelNanoseconds), nameof(ProcessThreadInfo.RunState), nameof(ProcessThreadInfo.MaxPriority))
            .Should().Equal(8, 24, 44);
    }

    [Fact]
    public void Struct_rusage_info_v0_matches_sys_resource_h()
    {
        Unsafe.SizeOf<ResourceUsageInfo>().Should().Be(96);
        Offsets<ResourceUsageInfo>(
            nameof(ResourceUsageInfo.User), nameof(ResourceUsageInfo.Kernel), nameof(ResourceUsageInfo.Started),
            nameof(ResourceUsageInfo.Ended))
            .Should().Equal(16, 24, 80, 88);
    }

    [Fact]
    public void Struct_proc_taskallinfo_matches_sys_proc_info_h()
    {
        const int Task = 136; // sizeof(struct proc_bsdinfo)
        Unsafe.SizeOf<ProcessInfo>().Should().Be(Task + 96);
        Offsets<ProcessInfo>(
            nameof(ProcessInfo.Status), nameof(ProcessInfo.UserId), nameof(ProcessInfo.ShortName), nameof(ProcessInfo.Name),
            nameof(ProcessInfo.Nice), nameof(ProcessInfo.StartSeconds), nameof(ProcessInfo.StartMicroseconds),
            nameof(ProcessInfo.VirtualBytes), nameof(ProcessInfo.ResidentBytes), nameof(ProcessInfo.User), nameof(ProcessInfo.Kernel),
            nameof(ProcessInfo.ThreadCount), nameof(ProcessInfo.RunningCount), nameof(ProcessInfo.Priority))
            .Should().Equal(4, 20, 48, 64, 116, 120, 128, Task, Task + 8, Task + 16, Task + 24, Task + 84, Task + 88, Task + 92);
    }

    [Theory]
    [InlineData(2, 0, 'S')]
    [InlineData(2, 3, 'R')]
    [InlineData(4, 0, 'T')]
    [InlineData(5, 0, 'Z')]
    public void Process_states_have_the_letters_of_Linux(uint status, int running, char letter) =>
        new ProcessInfo { Status = status, RunningCount = running }.State.Should().Be(letter);

    [Theory]
    [InlineData(0, null)]
    [InlineData(1, 'R')]
    [InlineData(2, 'T')]
    [InlineData(3, 'S')]
    [InlineData(4, 'D')]
    [InlineData(5, 'T')]
    public void Thread_states_have_the_letters_of_Linux(int runState, char? letter) =>
        new ProcessThreadInfo { RunState = runState }.State.Should().Be(letter);

    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(1_795_250_000, 123_456, 1_795_250_000_123_456_000)]
    [InlineData(ulong.MaxValue, ulong.MaxValue, 4_611_686_019_000_000_000)]
    public void Start_times_are_in_nanoseconds_since_1970(ulong seconds, ulong microseconds, long nanoseconds) =>
        new ProcessInfo { StartSeconds = seconds, StartMicroseconds = microseconds }.StartUnixNanoseconds.Should().Be(nanoseconds);

    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(0, 1, 1_000)]
    [InlineData(int.MaxValue, 999_999, 2_147_483_647_999_999_000)]
    public void A_time_value_of_two_ints_is_converted_to_nanoseconds(int seconds, int microseconds, long nanoseconds) =>
        new MachTimeValue { Seconds = seconds, Microseconds = microseconds }.Nanoseconds.Should().Be(nanoseconds);

    private static IEnumerable<int> Offsets<T>(params string[] fields) => fields.Select(field => (int)Marshal.OffsetOf<T>(field));
}
