using System.Runtime.InteropServices;
using Picollo.Interop.Native;

namespace Picollo.Benchmarks.Perf;

/// <summary>bare_reads.c, compiled and loaded: the shim's code with instructions that every x64 machine has.</summary>
internal sealed unsafe class BareLibrary(nint library)
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);

    /// <summary>(counters, count, repetitions): in C.</summary>
    public readonly delegate* unmanaged<PerfPage*, int, int, void> Loop =
        (delegate* unmanaged<PerfPage*, int, int, void>)NativeLibrary.GetExport(library, "bench_read");

    /// <summary>The same with instructions that take no time.</summary>
    public readonly delegate* unmanaged<PerfPage*, int, int, void> LoopOfNothing =
        (delegate* unmanaged<PerfPage*, int, int, void>)NativeLibrary.GetExport(library, "bench_read_with");

    /// <summary>(ignored, N, repetitions): N counter instructions and nothing else, in C.</summary>
    public readonly delegate* unmanaged<PerfPage*, int, int, void> LoopOfInstructions =
        (delegate* unmanaged<PerfPage*, int, int, void>)NativeLibrary.GetExport(library, "bench_instructions");

    /// <summary>picollo_perf_read.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> Read =
        (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "picollo_perf_read");

    /// <summary>The same with instructions that take no time.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadNothing =
        (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "bench_read_nothing_with");

    /// <summary>picollo_perf_read_counts.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadCounts =
        (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "picollo_perf_read_counts");

    /// <summary>The same with an instruction that takes no time.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadNothingCounts =
        (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "bench_read_nothing_counts_with");

    /// <summary>A function that does nothing.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<int> Empty =
        (delegate* unmanaged[SuppressGCTransition]<int>)NativeLibrary.GetExport(library, "picollo_abi_version");

    /// <summary>Null, and the reason, where it cannot be.</summary>
    public static BareLibrary? TryCompile(out string? reason)
    {
        if (!OperatingSystem.IsLinux() || RuntimeInformation.ProcessArchitecture != Architecture.X64)
        {
            reason = "an instruction to stand in for the counter's is known on Linux x64 only";
            return null;
        }

        string source = Path.Combine(ChildProcess.RepositoryRoot, "benchmarks", "Picollo.Benchmarks", "Perf", "bare_reads.c");
        string folder = Directory.CreateTempSubdirectory("picollo-bench-").FullName;
        try
        {
            // As native/build.sh compiles the shim.
            string library = Path.Combine(folder, "bare_reads.so");
            ChildProcess.Run(
                "cc",
                ["-std=c11", "-O2", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-nostdlib", "-shared", "-fPIC", "-fvisibility=hidden", "-o", library, source],
                Timeout);
            reason = null;
            return new BareLibrary(NativeLibrary.Load(library));
        }
        catch (Exception e) when (e is InvalidOperationException or System.ComponentModel.Win32Exception)
        {
            reason = $"bare_reads.c does not compile here: {e.Message}";
            return null;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
