namespace Picollo.Cpu;

/// <summary>Creates the implementations of one system. This base class is for unsupported systems.</summary>
internal class CpuPlatform
{
    /// <summary>The system that runs this process. Set once, before any other code of this assembly runs.</summary>
    public static CpuPlatform Current { get; set; } = null!;

    public virtual ICpuTimes CreateCpuTimes() => new UnknownCpuTimes();

    public virtual CurrentThread CreateCurrentThread() => new();

    public virtual ISystemCpuSource CreateSystemCpuSource() => new NoSystemCpuSource();

    private sealed class NoSystemCpuSource : ISystemCpuSource
    {
        public void Read(SystemCpuSample sample, SystemCpuParts parts) => sample.SetStatesFailure(
            new("SystemCpu supports only Linux, Windows and macOS.", MeasurementUnavailableCause.NotSupported));
    }
}

/// <summary>The CPU, affinity and priority of the calling thread. This base class is for systems without support, such as macOS; Linux and
/// Windows override the supported members.</summary>
internal class CurrentThread
{
    public static readonly CurrentThread System = CpuPlatform.Current.CreateCurrentThread();

    /// <summary>The number of the thread's current CPU; -1 if unknown.</summary>
    public virtual int Cpu => -1;

    /// <summary>Pins the thread to one CPU. Returns the reason for a failure, as a sentence; null on success.</summary>
    public virtual string? Pin(int cpu) => "The thread is not pinned: this system does not support pinning threads to CPUs.";

    /// <summary>Raises the priority to the highest level that this user is permitted to set. Returns the reason, as a sentence, if that is
    /// not the highest priority; otherwise, null.</summary>
    public virtual string? RaisePriority() => "The thread's priority is unchanged: Picollo raises it only on Linux and Windows.";
}
