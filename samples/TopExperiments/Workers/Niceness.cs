using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Picollo.Samples.Top;

/// <summary>Niceness, and its effect in the Linux scheduler.</summary>
public static partial class Niceness
{
    public const int Lowest = -20;
    public const int Highest = 19;

    // <sys/resource.h>: PRIO_PROCESS. With the ID 0, it is the calling thread on Linux.
    private const int PriorityOfProcess = 0;
    private const int OperationNotPermitted = 1;
    private const int PermissionDenied = 13;

    /// <summary>The weights of niceness -20 to 19: <c>sched_prio_to_weight</c> in kernel/sched/core.c. Each weight is 1.25 times the next one.</summary>
    private static readonly int[] Weights =
    [
        88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
        9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277,
        1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
        110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
    ];

    /// <summary>The niceness of the calling thread; 0 on other systems than Linux.</summary>
    public static int Own => OperatingSystem.IsLinux() ? GetPriority(PriorityOfProcess, 0) : 0;

    public static int WeightOf(int nice) => Weights[nice - Lowest];

    /// <summary>Returns the share of a CPU that a thread gets if one other thread competes for it.</summary>
    public static double ShareAgainst(int nice, int otherNice) =>
        (double)WeightOf(nice) / (WeightOf(nice) + WeightOf(otherNice));

    /// <summary>Sets the niceness of the calling thread. The kernel clamps it to the valid range.</summary>
    public static bool TrySet(int nice, [NotNullWhen(false)] out string? reason)
    {
        if (!OperatingSystem.IsLinux())
        {
            reason = "this sample sets niceness only on Linux";
            return false;
        }

        reason = SetPriority(PriorityOfProcess, 0, nice) == 0 ? null : Explain(nice, Marshal.GetLastPInvokeError());
        return reason is null;
    }

    /// <summary>Returns whether this user can start a program with a niceness.</summary>
    public static bool IsPermitted(int nice, [NotNullWhen(false)] out string? reason)
    {
        // On Linux, each thread has its own niceness, so a separate thread does not change that of this program.
        string? found = null;
        Thread thread = new(() => TrySet(nice, out found));
        thread.Start();
        thread.Join();
        reason = found;
        return reason is null;
    }

    private static string Explain(int nice, int error) => error is OperationNotPermitted or PermissionDenied
        ? $"niceness {nice} requires root or CAP_SYS_NICE"
        : $"setpriority failed with error {error}";

    [LibraryImport("libc", EntryPoint = "getpriority")]
    private static partial int GetPriority(int which, int who);

    [LibraryImport("libc", EntryPoint = "setpriority", SetLastError = true)]
    private static partial int SetPriority(int which, int who, int nice);
}
