namespace Picollo.Cpu;

/// <summary>Creates the implementations of one system. This base class is for unsupported systems.</summary>
internal class CpuPlatform
{
    /// <summary>The system that runs this process. Set once, before any other code of this assembly runs.</summary>
    public static CpuPlatform Current { get; set; } = null!;

    public virtual ICpuTimes CreateCpuTimes() => new UnknownCpuTimes();

    public virtual CurrentThread CreateCurrentThread() => new();

    public virtual ISystemCpuSource CreateSystemCpuSource() =>
        throw new MeasurementUnavailableException("SystemCpu supports only Linux, Windows and macOS.");
}
