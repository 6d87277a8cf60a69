namespace Picollo.Interop.Native;

/// <summary>The functions of native/picollo_native.h, or the reason why they are unavailable.</summary>
internal sealed unsafe class NativeShim
{
    /// <summary>PICOLLO_ABI_VERSION of the header that this code was written for.</summary>
    public const int AbiVersion = 3;

    /// <summary>The part of a reason that states what the cycle clock uses instead of the counter.</summary>
    public const string FallbackNote = "Stopwatch is used instead, at its own resolution.";

    private const string Name = "picollo_native";

    private const string NotInvariant =
        $"This CPU's counter does not tick at a constant rate (CPUID reports no invariant TSC). {FallbackNote} On a virtual machine, let "
        + "the hypervisor pass the feature through (QEMU: -cpu host,+invtsc).";

    private NativeShim(string? unavailableReason) => UnavailableReason = unavailableReason;

    private static NativeShim? _current;

    /// <summary>The instance of the process. The library is loaded once. If it exists but could not be loaded, loading is tried again,
    /// because the process may have reached its limit of open files.</summary>
    public static NativeShim Current => _current ?? Find(new SystemNativeLibraries(), ref _current);

    /// <summary>Reads the counter; null if it must not be used. No GC transition: the function has five instructions.</summary>
    /// <remarks>A managed function pointer to the same address was rejected. The JIT would also call it inline in a finally block, where
    /// this pointer needs a stub (0.3 ns), but a loop of such calls has no point at which the runtime can suspend it for a
    /// collection.</remarks>
    public delegate* unmanaged[SuppressGCTransition]<ulong> ReadCounter { get; private init; }

    /// <summary>picollo_perf_read; null without the library.</summary>
    public delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadPerfCounters { get; private init; }

    /// <summary>picollo_perf_read_counts; null without the library.</summary>
    public delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadPerfCounts { get; private init; }

    /// <summary>picollo_perf_thread_time (page, nanoseconds); null without the library.</summary>
    public delegate* unmanaged[SuppressGCTransition]<void*, ulong*, int> ReadThreadTime { get; private init; }

    /// <summary>picollo_pmu_counters (fixed, programmable); null without the library. With a GC transition: under a hypervisor, it takes
    /// microseconds.</summary>
    public delegate* unmanaged<uint*, uint*, int> CountPmuCounters { get; private init; }

    /// <summary>picollo_jitter_run; null without the library. With a GC transition: it runs for the whole measurement.</summary>
    public delegate* unmanaged<JitterState*, int> RunJitter { get; private init; }

    /// <summary>Whether the library exists but could not be loaded. A later attempt may succeed.</summary>
    public bool CanRetry { get; private init; }

    /// <summary>The reason why <see cref="ReadCounter"/> is null, with the remedy.</summary>
    public string? UnavailableReason { get; }

    /// <summary>Loads the library and stores the result in <paramref name="known"/>, unless a later attempt may succeed.</summary>
    public static NativeShim Find(INativeLibraries libraries, ref NativeShim? known)
    {
        NativeShim shim = Load(libraries);
        if (!shim.CanRetry)
        {
            Volatile.Write(ref known, shim);
        }

        return shim;
    }

    /// <summary>Loads the library. For a missing, foreign or outdated library, returns a reason and does not throw an exception.</summary>
    public static NativeShim Load(INativeLibraries libraries)
    {
        if (!libraries.TryLoad(Name, out nint library, out string where, out bool exists))
        {
            string platform = RuntimeInformation.RuntimeIdentifier;
            return new NativeShim(exists ? NotLoadable(platform, where) : NoLibrary(platform, where))
            {
                CanRetry = exists,
            };
        }

        string? missing = null;
        nint Find(string function)
        {
            if (!libraries.TryGetExport(library, function, out nint address))
            {
                missing ??= function;
            }

            return address;
        }

        var abiVersion = (delegate* unmanaged<int>)Find("picollo_abi_version");
        var hasInvariantCounter = (delegate* unmanaged<int>)Find("picollo_has_invariant_counter");
        var readCounter = (delegate* unmanaged[SuppressGCTransition]<ulong>)Find("picollo_read_counter");
        var readPerfCounters = (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)Find("picollo_perf_read");
        var readPerfCounts = (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)Find("picollo_perf_read_counts");
        var readThreadTime = (delegate* unmanaged[SuppressGCTransition]<void*, ulong*, int>)Find("picollo_perf_thread_time");
        var countPmuCounters = (delegate* unmanaged<uint*, uint*, int>)Find("picollo_pmu_counters");
        var runJitter = (delegate* unmanaged<JitterState*, int>)Find("picollo_jitter_run");

        // Check the version first: another version may lack a function.
        if (abiVersion != null && abiVersion() is var version and not AbiVersion)
        {
            return new NativeShim(WrongVersion(where, version, AbiVersion));
        }

        if (missing is not null)
        {
            return new NativeShim(NotALibrary(where, missing));
        }

        // Performance counters do not depend on the time counter.
        bool isInvariant = hasInvariantCounter() != 0;
        return new NativeShim(isInvariant ? null : NotInvariant)
        {
            ReadCounter = isInvariant ? readCounter : null,
            ReadPerfCounters = readPerfCounters,
            ReadPerfCounts = readPerfCounts,
            ReadThreadTime = readThreadTime,
            CountPmuCounters = countPmuCounters,
            RunJitter = runJitter,
        };
    }

    private static string NoLibrary(string platform, string tried) =>
        $"The native library of Picollo was not found for {platform} (tried: {tried}). {FallbackNote} To use the CPU's counter, deploy "
        + "the package's runtimes/<platform>/native directory with the program, or run native/build.sh in Picollo's repository.";

    private static string NotLoadable(string platform, string path) =>
        $"The native library {path} exists but could not be loaded. {FallbackNote} If this process has reached its limit of open files, "
        + $"raise the limit (ulimit -n). If the library is not for {platform}, or its file system is mounted noexec, "
        + "deploy the library of the package to another directory.";

    private static string WrongVersion(string path, int found, int expected) =>
        $"The native library {path} has version {found}, but version {expected} is required. {FallbackNote} Deploy the library and "
        + "Picollo.dll from the same package.";

    private static string NotALibrary(string path, string missing) =>
        $"The native library {path} has no function {missing}. {FallbackNote} Deploy the library and Picollo.dll from the same package.";
}

/// <summary>Loads the native library. Tests replace it.</summary>
internal interface INativeLibraries
{
    /// <summary>Loads a library by its bare name.</summary>
    /// <param name="name">The name without prefix and extension.</param>
    /// <param name="library">The handle.</param>
    /// <param name="where">The path of the library, even if it could not be loaded; all searched paths if it was not found.</param>
    /// <param name="exists">Whether a file of that name exists, even if it could not be loaded.</param>
    bool TryLoad(string name, out nint library, out string where, out bool exists);

    /// <summary>Finds a function. <paramref name="address"/> is 0 if there is none.</summary>
    bool TryGetExport(nint library, string function, out nint address);
}

/// <summary>struct picollo_jitter of native/picollo_native.h: the state that a measuring loop, native or managed, shares with its reader.
/// The header documents the rules of its ring.</summary>
[StructLayout(LayoutKind.Explicit, Size = 192)]
internal unsafe struct JitterState
{
    /// <summary>PICOLLO_JITTER_LOST: an element with this bit contains the number of samples that were lost at this position.</summary>
    public const ulong LostMark = 1UL << 63;

    /// <summary>The value of <see cref="Loops"/> for an endless loop, and of <see cref="BreakAbove"/> for no limit.</summary>
    public const ulong Unlimited = ulong.MaxValue;

    // The results of a loop. A negative result is a negated error number of a system call.
    public const int Done = 0;
    public const int Broken = 1;

    [FieldOffset(0)] public ulong Interval;

    [FieldOffset(8)] public ulong Loops;

    [FieldOffset(16)] public ulong BreakAbove;

    [FieldOffset(24)] public ulong* Samples;

    [FieldOffset(32)] public ulong SlotCount;

    [FieldOffset(40)] public ulong FirstDue;

    [FieldOffset(48)] public ulong BrokeAt;

    [FieldOffset(56)] public ulong Lost;

    [FieldOffset(64)] public ulong Head;

    [FieldOffset(128)] public ulong Tail;

    [FieldOffset(136)] public ulong Stop;
}

/// <summary>picollo_perf_counter of native/picollo_native.h.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct PerfPage
{
    public void* Page;
    public ulong Value;
    public ulong EnabledNanoseconds;
    public ulong RunningNanoseconds;
}
