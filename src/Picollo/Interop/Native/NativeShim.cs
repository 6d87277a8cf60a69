using System.Runtime.InteropServices;

namespace Picollo.Interop.Native;

/// <summary>The functions of native/picollo_native.h, found once; or the reason why they are not there.</summary>
internal sealed unsafe class NativeShim
{
    /// <summary>PICOLLO_ABI_VERSION of the header that this code was written to.</summary>
    public const int AbiVersion = 3;

    private const string Name = "picollo_native";

    private NativeShim(string? unavailableReason) => UnavailableReason = unavailableReason;

    private static NativeShim? _current;

    /// <summary>The process's one: the system's loader asked once. Again, where the library is there and could not be loaded: the process
    /// may have had no file left to open.</summary>
    public static NativeShim Current => _current ?? Find(new SystemNativeLibraries(), ref _current);

    /// <summary>
    /// Reads the counter; null where it is not to be used. Without a GC transition: the function is five instructions.
    /// </summary>
    /// <remarks>
    /// Rejected: a managed function pointer to the same address. The JIT would call it inline in a finally block too, where it
    /// takes a stub for this one (0.3 ns), but a loop of such calls has no place at which the runtime can stop it for a collection.
    /// </remarks>
    public delegate* unmanaged[SuppressGCTransition]<ulong> ReadCounter { get; private init; }

    /// <summary>picollo_perf_read; null where there is no library.</summary>
    public delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadPerfCounters { get; private init; }

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
            return new NativeShim(isThere ? NativeShimReasons.NotLoadable(platform, where) : NativeShimReasons.NoLibrary(platform, where))
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
        var readThreadTime = (delegate* unmanaged[SuppressGCTransition]<void*, ulong*, int>)Find("picollo_perf_thread_time");
        var countPmuCounters = (delegate* unmanaged<uint*, uint*, int>)Find("picollo_pmu_counters");
        var runJitter = (delegate* unmanaged<JitterState*, int>)Find("picollo_jitter_run");

        // The version first, where there is one: another version may lack a function for good reason.
        if (abiVersion != null && abiVersion() is var version and not AbiVersion)
        {
            return new NativeShim(NativeShimReasons.WrongVersion(where, version, AbiVersion));
        }

        if (missing is not null)
        {
            return new NativeShim(NativeShimReasons.NotALibrary(where, missing));
        }

        // Performance counters count whatever the time counter does.
        bool isInvariant = hasInvariantCounter() != 0;
        return new NativeShim(isInvariant ? null : NativeShimReasons.NotInvariant)
        {
            ReadCounter = isInvariant ? readCounter : null,
            ReadPerfCounters = readPerfCounters,
            ReadThreadTime = readThreadTime,
            CountPmuCounters = countPmuCounters,
            RunJitter = runJitter,
        };
    }
}
