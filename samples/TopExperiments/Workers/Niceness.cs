using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Picollo.Samples.Top;

/// <summary>Niceness, and what the Linux scheduler makes of it.</summary>
public static partial class Niceness
{
    public const int Lowest = -20;
    public const int Highest = 19;

    // <sys/resource.h>: with id 0, the calling thread on Linux, whatever the name says.
    private const int PriorityOfProcess = 0;
    private const int OperationNotPermitted = 1;
    private const int PermissionDenied = 13;

    /// <summary>Weights from -20 to 19: <c>sched_prio_to_weight</c> in the kernel's kernel/sched/core.c, each 1.25 times the next.</summary>
    private static readonly int[] Weights =
    [
        88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
        9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277,
        1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
        110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
    ];

    public static int WeightOf(int nice) => Weights[nice - Lowest];

    /// <summary>The share that a thread gets of a CPU for which one other thread competes.</summary>
    public static double ShareAgainst(int nice, int otherNice) =>
        (double)WeightOf(nice) / (WeightOf(nice) + WeightOf(otherNice));

    /// <summary>Sets the calling thread's niceness; the kernel clamps it to its range.</summary>
    public static bool TrySet(int nice, [NotNullWhen(false)] out string? reason)
    {
        if (!OperatingSystem.IsLinux())
        {
            reason = "niceness is not set on systems other than Linux here";
            return false;
        }

        reason = SetPriority(PriorityOfProcess, 0, nice) == 0 ? null : Explain(nice, Marshal.GetLastPInvokeError());
        return reason is null;
    }

    /// <summary>Whether a program that is started now may have a niceness.</summary>
    public static bool IsPermitted(int nice, [NotNullWhen(false)] out string? reason)
    {
        // Niceness is each thread's own on Linux, so that of this program stays as it is.
        string? found = null;
        Thread thread = new(() => TrySet(nice, out found));
        thread.Start();
        thread.Join();
        reason = found;
        return reason is null;
    }

    private static string Explain(int nice, int error) => error is OperationNotPermitted or PermissionDenied
        ? $"niceness {nice} needs root or CAP_SYS_NICE"
        : $"setpriority failed with error {error}";

    [LibraryImport("libc", EntryPoint = "setpriority", SetLastError = true)]
    private static partial int SetPriority(int which, int who, int nice);
}
