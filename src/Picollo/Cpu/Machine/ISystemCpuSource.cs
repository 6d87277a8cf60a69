namespace Picollo.Cpu;

/// <summary>One system's way to read what <see cref="SystemCpu"/> shows; chosen once, in <see cref="SystemCpuSources"/>.</summary>
internal interface ISystemCpuSource : IDisposable
{
    /// <summary>
    /// Fills <paramref name="sample"/>, which was cleared, with the parts asked for. Throws nothing: what cannot be read
    /// stays absent, and <see cref="SystemCpuSample.SetUnavailableReason"/> says why. Allocates nothing once all buffers have
    /// their size and all names were seen.
    /// </summary>
    void Read(SystemCpuSample sample, SystemCpuParts parts);

    /// <summary>See <see cref="SystemCpu.GetCommandLine"/>; null where the system has no such thing.</summary>
    string[]? GetCommandLine(int processId) => null;
}
