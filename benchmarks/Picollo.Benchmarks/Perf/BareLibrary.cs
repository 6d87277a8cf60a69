using System.Runtime.InteropServices;
using Picollo.Interop.Native;

namespace Picollo.Benchmarks.Perf;

/// <summary>The compiled library bare_reads.c: the code of the native library, with instructions that are available on every x64 machine.</summary>
internal sealed unsafe class BareLibrary(nint library)
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);

    /// <summary>(counters, count, repetitions): reads counters in a C loop.</summary>
    public readonly delegate* unmanaged<PerfPage*, int, int, void> Loop =
        (delegate* unmanaged<PerfPage*, int, int, void>)NativeLibrary.GetExport(library, "bench_read");

    /// <summary>The same as <see cref="Loop"/>, with instructions that take no time.</summary>
    public readonly delegate* unmanaged<PerfPage*, int, int, void> LoopOfNothing =
        (delegate* unmanaged<PerfPage*, int, int, void>)NativeLibrary.GetExport(library, "bench_read_with");

    /// <summary>(ignored, N, repetitions): executes only N counter instructions, in a C loop.</summary>
    public readonly delegate* unmanaged<PerfPage*, int, int, void> LoopOfInstructions =
        (delegate* unmanaged<PerfPage*, int, int, void>)NativeLibrary.GetExport(library, "bench_instructions");

    /// <summary>picollo_perf_read.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> Read =
        (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "picollo_perf_read");

    /// <summary>The same as <see cref="Read"/>, with instructions that take no time.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadNothing =
        (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "bench_read_nothing_with");

    /// <summary>picollo_perf_read_counts.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadCounts =
        (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "picollo_perf_read_counts");

    /// <summary>The same as <see cref="ReadCounts"/>, with an instruction that takes no time.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadNothingCounts =
        (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "bench_read_nothing_counts_with");

    /// <summary>A function that does nothing.</summary>
    public readonly delegate* unmanaged[SuppressGCTransition]<int> Empty =
        (delegate* unmanaged[SuppressGCTransition]<int>)NativeLibrary.GetExport(library, "picollo_abi_version");

    /// <summary>Compiles and loads the library.</summary>
    /// <returns>The library, or <see langword="null"/> if it cannot be compiled.</returns>
    public static BareLibrary? TryCompile(out string? reason)
    {
        if (!OperatingSystem.IsLinux() || RuntimeInformation.ProcessArchitecture != Architecture.X64)
        {
            reason = "a replacement for the counter instruction is available only on Linux x64";
            return null;
        }

        string source = Path.Combine(ChildProcess.RepositoryRoot, "benchmarks", "Picollo.Benchmarks", "Perf", "bare_reads.c");
        string folder = Directory.CreateTempSubdirectory("picollo-bench-").FullName;
        try
        {
            // The same options as in native/build.sh.
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
            reason = $"bare_reads.c could not be compiled: {e.Message}";
            return null;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
