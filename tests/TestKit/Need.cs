namespace Picollo.TestKit;

/// <summary>What a test needs of the machine and the user that it runs on and as.</summary>
public enum Need
{
    Linux,
    Root,

    /// <summary>Linux's perf events, of this thread's user mode.</summary>
    PerfEvents,

    /// <summary>Perf events of the kernel's part, too.</summary>
    KernelCounters,

    /// <summary>The native library for this machine: native/build.sh made it.</summary>
    NativeLibrary,

    /// <summary>The vectors of 512 bits that batches are counted with.</summary>
    Avx512,

    /// <summary>SCHED_FIFO.</summary>
    RealTime,

    /// <summary>Mounting a file system in memory.</summary>
    SmallDisk,

    /// <summary>Mounting a /proc with options in a namespace of its own.</summary>
    OwnProc,

    /// <summary>The data of cultures other than the invariant one.</summary>
    Cultures,

    // Programs.
    Chromium,
    Gcc,

    /// <summary><c>go tool pprof</c>: Debian's golang-go.</summary>
    Go,
    Java,
    Mpstat,

    /// <summary>Compiling this machine's programs with Native AOT: NuGet's packages, and a compiler that links.</summary>
    NativeAot,

    /// <summary>The reference parser of OpenMetrics: Debian's python3-prometheus-client.</summary>
    OpenMetricsParser,
    Pidstat,
    Prlimit,
    Prometheus,

    /// <summary>Debian's binutils.</summary>
    Readelf,
    Setpriv,
    Taskset,
    Tmux,
    Top,
    Unshare,
    Unzip,
    VictoriaMetrics,
    Wine,

    // Emulated machines.
    Arm64Machine,
    X64Machine,

    // The native library for a platform, in the packages.
    Arm64Library,
    WindowsLibrary,
    X64Library,
}

/// <summary>A test that is skipped, with the reason, where one of its needs is not met.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class FactNeedingAttribute : FactAttribute
{
    public FactNeedingAttribute(params Need[] needs) => Skip = Needs.WhyNot(needs);
}

/// <inheritdoc cref="FactNeedingAttribute"/>
[AttributeUsage(AttributeTargets.Method)]
public sealed class TheoryNeedingAttribute : TheoryAttribute
{
    public TheoryNeedingAttribute(params Need[] needs) => Skip = Needs.WhyNot(needs);
}
