using System.Runtime.InteropServices;

namespace Picollo.Interop.Native;

/// <summary>The functions of native/picollo_native.h, found once; or the reason why they are not there.</summary>
internal sealed unsafe class NativeShim
{
    /// <summary>PICOLLO_ABI_VERSION of the header that this code was written to.</summary>
    public const int AbiVersion = 3;

    /// <summary>What the cycle clock does without the counter.</summary>
    public const string Instead = "Stopwatch is used instead, at its own resolution.";

    private const string Name = "picollo_native";

    private const string NotInvariant =
        $"This CPU's counter does not tick at a constant rate (CPUID reports no invariant TSC). {Instead} On a virtual machine, let "
        + "the hypervisor pass the feature through (QEMU: -cpu host,+invtsc).";

    private NativeShim(string? unavailableReason) => UnavailableReason = unavailableReason;

    private static NativeShim? _current;

    /// <summary>The process's one: the system's loader asked once. Again, where the library is there and could not be loaded: the process
    /// may have had no file left to open.</summary>
    public static NativeShim Current => _current ?? Find(new SystemNativeLibraries(), ref _current);

    /// <summary>Reads the counter; null where it is not to be used. Without a GC transition: the function is five instructions.</summary>
    /// <remarks>Rejected: a managed function pointer to the same address. The JIT would call it inline in a finally block too, where it
    /// takes a stub for this one (0.3 ns), but a loop of such calls has no place at which the runtime can stop it for a
    /// collection.</remarks>
    public delegate* unmanaged[SuppressGCTransition]<ulong> ReadCounter { get; private init; }

    /// <summary>picollo_perf_read; null where there is no library.</summary>
    public delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadPerfCounters { get; private init; }

    /// <summary>picollo_perf_read_counts; null where there is no library.</summary>
    public delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadPerfCounts { get; private init; }

    /// <summary>picollo_perf_thread_time (page, nanoseconds); null where there is no library.</summary>
    public delegate* unmanaged[SuppressGCTransition]<void*, ulong*, int> ReadThreadTime { get; private init; }

    /// <summary>picollo_pmu_counters (fixed, programmable); null where there is no library. With a GC transition: a hypervisor
    /// answers it, in microseconds.</summary>
    public delegate* unmanaged<uint*, uint*, int> CountPmuCounters { get; private init; }

    /// <summary>picollo_jitter_run; null where there is no library. With a GC transition: it runs for as long as is measured.</summary>
    public delegate* unmanaged<JitterState*, int> RunJitter { get; private init; }

    /// <summary>Whether the library is there and could not be loaded, which need not stay so.</summary>
    public bool MayLoadLater { get; private init; }

    /// <summary>Why <see cref="ReadCounter"/> is null, and what to do about it.</summary>
    public string? UnavailableReason { get; }

    /// <summary>Loads the library, and remembers what came of it unless that may change.</summary>
    public static NativeShim Find(INativeLibraries libraries, ref NativeShim? known)
    {
        NativeShim shim = Load(libraries);
        if (!shim.MayLoadLater)
        {
            Volatile.Write(ref known, shim);
        }

        return shim;
    }

    /// <summary>Loads the library; a missing, foreign or outdated one is a reason, never an exception.</summary>
    public static NativeShim Load(INativeLibraries libraries)
    {
        if (!libraries.TryLoad(Name, out nint library, out string where, out bool isThere))
        {
            string platform = RuntimeInformation.RuntimeIdentifier;
            return new NativeShim(isThere ? NotLoadable(platform, where) : NoLibrary(platform, where))
            {
                MayLoadLater = isThere,
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

        // The version first, where there is one: another version may lack a function for good reason.
        if (abiVersion != null && abiVersion() is var version and not AbiVersion)
        {
            return new NativeShim(WrongVersion(where, version, AbiVersion));
        }

        if (missing is not null)
        {
            return new NativeShim(NotALibrary(where, missing));
        }

        // Performance counters count whatever the time counter does.
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
        $"The native library of Picollo was not found for {platform} (tried: {tried}). {Instead} To have the CPU's counter, deploy "
        + "the package's runtimes/<platform>/native folder with the program, or in Picollo's repository run native/build.sh.";

    private static string NotLoadable(string platform, string path) =>
        $"The native library {path} is there and could not be loaded. {Instead} Either this process has as many files open as it may: "
        + $"raise the limit (ulimit -n); or the library is not for {platform}, or on a file system that permits no code: "
        + "deploy the package's.";

    private static string WrongVersion(string path, int found, int expected) =>
        $"The native library {path} is of version {found}, and {expected} is expected. {Instead} Deploy the library and "
        + "Picollo.dll from the same package.";

    private static string NotALibrary(string path, string missing) =>
        $"The native library {path} has no function {missing}. {Instead} Deploy the library and Picollo.dll from the same package.";
}

/// <summary>How the native library is found; tests put others in its place.</summary>
internal interface INativeLibraries
{
    /// <summary>Loads a library by its bare name.</summary>
    /// <param name="name">Without prefix and ending.</param>
    /// <param name="library">The handle.</param>
    /// <param name="where">Where it was found, or all places where it was not, or where it is and cannot be loaded.</param>
    /// <param name="isThere">Whether there is a file of that name, loaded or not.</param>
    bool TryLoad(string name, out nint library, out string where, out bool isThere);

    /// <summary>Finds a function; <paramref name="address"/> is 0 where there is none.</summary>
    bool TryGetExport(nint library, string function, out nint address);
}
