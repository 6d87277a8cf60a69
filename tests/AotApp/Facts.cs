using System.Diagnostics;
using System.Globalization;

namespace AotApp;

internal static class Facts
{
    public static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    public static void Print(string name, object? value) =>
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name}={value}"));

    /// <summary>Waits until a condition is true.</summary>
    public static async Task Until(Func<Task<bool>> condition)
    {
        long start = Stopwatch.GetTimestamp();
        while (!await condition())
        {
            if (Stopwatch.GetElapsedTime(start) > Deadline)
            {
                throw new TimeoutException();
            }

            await Task.Delay(5);
        }
    }
}
