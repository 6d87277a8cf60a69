using System.ComponentModel;

namespace Picollo.Cpu;

/// <content>Names of Universe.CpuUsage, which existing programs use. New code calls <see cref="CpuUsageReader"/>.</content>
public readonly partial record struct CpuUsage
{
    /// <inheritdoc cref="CpuUsageReader.GetByThread()"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static CpuUsage GetByThread() => CpuUsageReader.GetByThread();

    /// <inheritdoc cref="CpuUsageReader.GetByProcess()"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static CpuUsage GetByProcess() => CpuUsageReader.GetByProcess();

    /// <inheritdoc cref="CpuUsageReader.IsSupported"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static bool IsSupported => CpuUsageReader.IsSupported;
}
