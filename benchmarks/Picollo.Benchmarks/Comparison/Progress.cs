using System.Diagnostics;

namespace Picollo.Benchmarks.Comparison;

/// <summary>Shows the progress of a measurement in one line of the terminal. If standard error is redirected, nothing is written.</summary>
internal static class Progress
{
    // Writing to a terminal wakes its process, which takes CPU time from the next measurement.
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(500);

    private static long _last;

    public static void Show(string step, int number, int count)
    {
        if (!Console.IsErrorRedirected && Stopwatch.GetElapsedTime(_last) >= Period)
        {
            _last = Stopwatch.GetTimestamp();
            Console.Error.Write($"\r{step} {number + 1} of {count}\e[K");
        }
    }

    public static void Clear()
    {
        if (!Console.IsErrorRedirected)
        {
            Console.Error.Write("\r\e[K");
        }
    }
}
