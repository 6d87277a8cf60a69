using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Tests.Interop;

/// <summary>Tests sizes and offsets against include/uapi/linux/resource.h for 64-bit programs.</summary>
public sealed class LinuxLayoutTests
{
    [Fact]
    public void The_resident_size_of_struct_rusage_is_in_KiB()
    {
        // ru_utime, ru_stime, and the fourteen counts with their numbers as values.
        Span<long> raw = [1, 2, 3, 4, .. Enumerable.Range(10, 14).Select(number => (long)number)];
        LinuxResourceUsage.ToUsage(MemoryMarshal.Cast<long, LibC.Rusage>(raw)[0]).Should().Be(new ResourceUsage
        {
            Cpu = new CpuUsage(1_000_002_000, 3_000_004_000),
            MaxResidentBytes = 10 * 1024,
            MinorPageFaults = 14,
            MajorPageFaults = 15,
            BlockInputOperations = 17,
            BlockOutputOperations = 18,
            VoluntaryContextSwitches = 22,
            InvoluntaryContextSwitches = 23,
        });
    }
}
