using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;

namespace Picollo.Samples.Top;

/// <summary>Which CPUs a program may run on.</summary>
internal static class Affinity
{
    private const string Unavailable = "programs cannot be kept on one CPU on this system";

    /// <summary>Keeps the calling thread, and those it starts, on a CPU.</summary>
    public static bool TryStayOn(int cpu, [NotNullWhen(false)] out string? reason)
    {
        reason = Unavailable;
        if (OperatingSystem.IsLinux() || OperatingSystem.IsWindows())
        {
            using Process self = Process.GetCurrentProcess();
            self.ProcessorAffinity = (nint)(1L << cpu);
            reason = null;
        }

        return reason is null;
    }

    /// <exception cref="WorkerException">This system does not tell.</exception>
    public static int LastAllowedCpu()
    {
        if (OperatingSystem.IsLinux() || OperatingSystem.IsWindows())
        {
            using Process self = Process.GetCurrentProcess();
            return BitOperations.Log2((ulong)self.ProcessorAffinity);
        }

        throw new WorkerException(Unavailable);
    }
}
