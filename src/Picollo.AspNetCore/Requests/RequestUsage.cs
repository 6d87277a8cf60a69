using Picollo.Cpu;

namespace Picollo.AspNetCore.Requests;

/// <summary>What a request has taken.</summary>
/// <param name="CpuNanoseconds">On all its threads.</param>
/// <param name="WallNanoseconds">From its begin to its end.</param>
/// <param name="Split">Null where user and kernel time are not told apart.</param>
internal readonly record struct RequestUsage(long CpuNanoseconds, long WallNanoseconds, CpuUsage? Split)
{
    public static RequestUsage Of(CpuUsageAsyncWatcher watcher) => new(
        watcher.GetTotalNanoseconds(),
        watcher.WallTime.Ticks * TimeSpan.NanosecondsPerTick,
        watcher.Detail == CpuUsageDetail.UserAndKernel ? watcher.GetSummaryCpuUsage() : null);
}
