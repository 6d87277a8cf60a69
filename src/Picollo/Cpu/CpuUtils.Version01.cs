using System.ComponentModel;
using Picollo.Cpu;

namespace Picollo;

/// <content>Members for programs that were written for version 0.1. New code calls <see cref="CpuUsageReader.GetThreadId"/>,
/// <see cref="Thread.GetCurrentProcessorId"/>, <see cref="AddChain256"/> and the overload that returns a reason.</content>
public static partial class CpuUtils
{
    /// <summary>Returns the operating system's ID of the calling thread, as <see cref="CpuUsageReader.GetThreadId"/> does.</summary>
    /// <returns>The ID, at least 1; or -1 if the system does not provide one.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static nint GetOsThreadId() => (nint)(CpuTimes.Current.ThreadId ?? -1);

    /// <summary>Returns the number of the CPU that runs the calling thread. The thread may move to another CPU at any time, unless it is
    /// pinned.</summary>
    /// <returns>The number, at least 0; or -1 if the system does not provide it (macOS).</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static nint GetCpu() => CurrentThread.System.Cpu;

    /// <summary>Pins the calling thread and raises its priority as <see cref="PrepareBenchmarkThread(int, out string?)"/> does.</summary>
    /// <inheritdoc cref="PrepareBenchmarkThread(int, out string?)" path="/param[@name='coreId']|/returns|/exception"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static bool PrepareBenchmarkThread(int coreId) => PrepareBenchmarkThread(coreId, out _);

    /// <summary>Executes 512 additions, <paramref name="blocks"/> times, as <see cref="AddChain256"/> does.</summary>
    /// <param name="blocks">The number of chains. If it is 0 or less, the method does nothing.</param>
    /// <returns>The sum, <paramref name="blocks"/> × 512 × <paramref name="blocks"/> modulo 2⁶⁴.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    public static ulong AddChain512(int blocks)
    {
        ulong sum = 0, step = (uint)blocks;
        for (int i = 0; i < blocks; i++)
        {
            sum = Add128(Add128(Add128(Add128(sum, step), step), step), step);
        }

        return sum;
    }
}
