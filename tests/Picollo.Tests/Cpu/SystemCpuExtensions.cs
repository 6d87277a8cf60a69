using System.Runtime.CompilerServices;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

internal static class SystemCpuExtensions
{
    /// <summary>The counters of the machine in the latest sample, of which the public API has only the shares.</summary>
    public static CpuStateTimes Counters(this SystemCpu cpu) => LatestSample(cpu).Total;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_now")]
    private static extern ref SystemCpuSample LatestSample(SystemCpu cpu);
}
