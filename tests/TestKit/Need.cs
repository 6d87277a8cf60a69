namespace Picollo.TestKit;

/// <summary>A requirement of a test for the machine or the user.</summary>
public enum Need
{
    Linux,
    Root,

    /// <summary>Linux perf events in user mode of the calling thread.</summary>
    PerfEvents,

    /// <summary>Perf events in kernel mode.</summary>
    KernelCounters,

    /// <summary>The native library for this machine, built by native/build.sh.</summary>
    NativeLibrary,

    /// <summary>AVX-512.</summary>
    Avx512,

    /// <summary>SCHED_FIFO.</summary>
    RealTime,

    /// <summary>Mounting a file system in memory.</summary>
    SmallDisk,

    /// <summary>Mounting /proc with options in a separate namespace.</summary>
    OwnProc,

    /// <summary>Culture data other than the invariant culture.</summary>
    Cultures,

    // Programs.
    Chromium,
    Gcc,

    /// <summary><c>go tool pprof</c>: Debian's golang-go.</summary>
    Go,
    Java,
    Mpstat,

    /// <summary>Native AOT compilation for this machine: the NuGet packages and a linker.</summary>
    NativeAot,
    Nginx,

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
    AspireDashboard,
    VictoriaMetrics,
    Wine,

    // Emulated machines.
    Arm64Machine,
    X64Machine,

    // Native libraries in the packages.
    Arm64Library,
    WindowsLibrary,
    X64Library,
}

/// <summary>A test that is skipped, with the reason, if one of its needs is not met.</summary>
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
