using System.Runtime.InteropServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Interop.Native;

namespace Picollo.Benchmarks.Perf;

/// <summary>bare_reads.c, compiled and loaded: the shim's code with instructions that every x64 machine has.</summary>
internal sealed unsafe class BareReads
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);

    private BareReads(nint library)
    {
        Loop = (delegate* unmanaged<PerfPage*, int, int, void>)NativeLibrary.GetExport(library, "bench_read");
        LoopOfNothing = (delegate* unmanaged<PerfPage*, int, int, void>)NativeLibrary.GetExport(library, "bench_read_with");
        Read = (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "picollo_perf_read");
        ReadNothing = (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong>)NativeLibrary.GetExport(library, "bench_read_nothing_with");
        Empty = (delegate* unmanaged[SuppressGCTransition]<int>)NativeLibrary.GetExport(library, "picollo_abi_version");
    }

    /// <summary>(counters, count, how often): in C.</summary>
    public delegate* unmanaged<PerfPage*, int, int, void> Loop { get; }

    /// <summary>The same with instructions that take no time.</summary>
    public delegate* unmanaged<PerfPage*, int, int, void> LoopOfNothing { get; }

    /// <summary>picollo_perf_read.</summary>
    public delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> Read { get; }

    /// <summary>The same with instructions that take no time.</summary>
    public delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadNothing { get; }

    /// <summary>A function that does nothing.</summary>
    public delegate* unmanaged[SuppressGCTransition]<int> Empty { get; }

    /// <summary>Null, and the reason, where it cannot be.</summary>
    public static BareReads? TryCompile(out string? reason)
    {
        if (!OperatingSystem.IsLinux() || RuntimeInformation.ProcessArchitecture != Architecture.X64)
        {
            reason = "an instruction to stand in for the counter's is known on Linux x64 only";
            return null;
        }

        string source = Path.Combine(FindRepository(), "benchmarks", "Picollo.Benchmarks", "Perf", "bare_reads.c");
        string folder = Directory.CreateTempSubdirectory("picollo-bench-").FullName;
        try
        {
            // As native/build.sh compiles the shim.
            string library = Path.Combine(folder, "bare_reads.so");
            ChildProcess.Run(
                "cc",
                ["-std=c11", "-O2", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-nostdlib", "-shared", "-fPIC", "-fvisibility=hidden", "-o", library, source],
                [],
                Timeout);
            reason = null;
            return new BareReads(NativeLibrary.Load(library));
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

    private static string FindRepository()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Picollo.sln")))
        {
            folder = Path.GetDirectoryName(folder);
        }

        return folder ?? throw new InvalidOperationException("The comparison runs in the repository.");
    }
}
