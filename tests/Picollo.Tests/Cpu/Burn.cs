using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Picollo.Tests.Cpu;

/// <summary>Uses CPU time on the calling thread and returns the amount, measured with a clock that is independent of Picollo.</summary>
/// <remarks>
/// On Linux and macOS, this is the kernel's thread clock, through a separate declaration. Windows has no clock of this resolution, so it is
/// <see cref="Stopwatch"/> without gaps: the work between two readings takes microseconds, so if much more time has passed, another thread
/// had the CPU.
/// </remarks>
internal static partial class Burn
{
    // Longer than an interrupt, and ten times as long as a piece of work, because one piece took longer than an interrupt where page
    // faults are slow (under Wine on a virtual machine). Another thread gets the CPU for a scheduler time slice, which is milliseconds.
    private static readonly long LongestInterrupt = Stopwatch.Frequency / 5_000;
    private const int PiecesInOwnGap = 10;

    private static readonly int ThreadCpuTimeClock = OperatingSystem.IsMacOS() ? 16 : 3; // <time.h>

    // Stores the result, so that the work is not optimized away.
    private static uint _result;

    private static long _excludedTime;

    /// <summary>The total length of the gaps that burns have excluded since <see cref="ResetExcludedTime"/>, because another thread had the
    /// CPU. If the cause was a hypervisor or an interrupt, the system counts them as time of the thread.</summary>
    public static TimeSpan ExcludedTime => Stopwatch.GetElapsedTime(0, Volatile.Read(ref _excludedTime));

    /// <summary>Sets <see cref="ExcludedTime"/> to zero.</summary>
    public static void ResetExcludedTime() => Volatile.Write(ref _excludedTime, 0);

    /// <summary>Computes until the CPU time is used, or at most tens of microseconds longer, not counting interrupts. The pieces of work are
    /// long enough that the kernel time for reading the clock is negligible.</summary>
    /// <returns>The CPU time used.</returns>
    public static TimeSpan User(TimeSpan amount) => Until(amount, () =>
    {
        uint x = _result | 1;
        for (int i = 0; i < 10_000; i++)
        {
            x = BitOperations.RotateLeft(x * 2654435761, 7) + 1;
        }

        _result = x;
    });

    /// <summary>Makes the kernel work until the CPU time is used: reads a cached file or, on Windows (where Wine reads files in another
    /// process), maps and unmaps memory.</summary>
    /// <returns>The CPU time used.</returns>
    public static TimeSpan Kernel(TimeSpan amount)
    {
        if (OperatingSystem.IsWindows())
        {
            return Until(amount, MapMemory);
        }

        byte[] buffer = new byte[1 << 16];
        using var file = File.OpenHandle(
            Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()),
            FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, FileOptions.DeleteOnClose);
        RandomAccess.Write(file, buffer, 0);
        return Until(amount, () => RandomAccess.Read(file, buffer, 0));
    }

    private static unsafe void MapMemory()
    {
        const int CommitAndReserve = 0x3000, ReadWrite = 4, Release = 0x8000; // winnt.h
        const int Page = 4096, Size = 4 * Page;
        byte* memory = (byte*)VirtualAlloc(0, Size, CommitAndReserve, ReadWrite);
        for (int i = 0; i < Size; i += Page)
        {
            memory[i] = 1;
        }

        _ = VirtualFree((nint)memory, 0, Release);
    }

    private static TimeSpan Until(TimeSpan amount, Action piece) =>
        OperatingSystem.IsWindows() ? UntilByGaps(amount, piece) : UntilByThreadClock(amount, piece);

    private static TimeSpan UntilByThreadClock(TimeSpan amount, Action piece)
    {
        long start = ThreadClock();
        long wanted = amount.Ticks * TimeSpan.NanosecondsPerTick;
        long taken;
        do
        {
            piece();
            taken = ThreadClock() - start;
        }
        while (taken < wanted);
        return TimeSpan.FromTicks(taken / TimeSpan.NanosecondsPerTick);
    }

    private static TimeSpan UntilByGaps(TimeSpan amount, Action piece)
    {
        long wanted = (long)(amount.TotalSeconds * Stopwatch.Frequency);
        long taken = 0, longestOwnGap = LongestInterrupt, shortest = long.MaxValue;
        long last = Stopwatch.GetTimestamp();
        while (taken < wanted)
        {
            piece();
            long now = Stopwatch.GetTimestamp();
            long gap = now - last;
            if (gap <= longestOwnGap)
            {
                taken += gap;
            }
            else
            {
                Interlocked.Add(ref _excludedTime, gap);
            }

            shortest = Math.Min(shortest, gap);
            longestOwnGap = Math.Max(LongestInterrupt, PiecesInOwnGap * shortest);
            last = now;
        }

        return Stopwatch.GetElapsedTime(0, taken);
    }

    private static unsafe long ThreadClock()
    {
        TimeSpec time = default;
        if (GetClock(ThreadCpuTimeClock, &time) != 0)
        {
            throw new InvalidOperationException("This system has no thread clock to measure a burn.");
        }

        return (time.Seconds * 1_000_000_000) + time.Nanoseconds;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static unsafe partial int GetClock(int clock, TimeSpec* time);

    [LibraryImport("kernel32")]
    private static partial nint VirtualAlloc(nint address, nint size, int type, int protection);

    [LibraryImport("kernel32")]
    private static partial int VirtualFree(nint address, nint size, int type);

    private struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
