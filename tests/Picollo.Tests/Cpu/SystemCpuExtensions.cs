using System.Runtime.CompilerServices;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

internal static class SystemCpuExtensions
{
    /// <summary>The machine's counters in the latest sample, of which users see the shares alone.</summary>
    public static CpuStateTimes Counters(this SystemCpu cpu) => LatestSample(cpu).Total;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_now")]
    private static extern ref SystemCpuSample LatestSample(SystemCpu cpu);
}
