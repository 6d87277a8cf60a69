namespace Picollo.Cpu;

/// <summary>What a <see cref="CpuUsageAsyncWatcher"/> reads at each switch.</summary>
public enum CpuUsageDetail
{
    /// <summary>The total only: the cheaper read, and the finer one on Windows.</summary>
    TotalOnly = 1,

    /// <summary>The total, and user and kernel time apart.</summary>
    UserAndKernel = 2,
}
