namespace Picollo.Cpu;

/// <summary>One system's way to read what <see cref="SystemCpu"/> shows. Holds nothing open between samples.</summary>
internal interface ISystemCpuSource
{
    /// <summary>
    /// Fills <paramref name="sample"/>, which was cleared, with the parts asked for. Never throws: what cannot be read
    /// stays absent, with the reason in <see cref="SystemCpuSample.SetUnavailableReason"/>. Allocates nothing once all buffers have
    /// their size and all names were seen.
    /// </summary>
    void Read(SystemCpuSample sample, SystemCpuParts parts);

    /// <summary>See <see cref="SystemCpu.GetCommandLine"/>; null where the system has no such thing.</summary>
    string[]? GetCommandLine(int processId) => null;
}
