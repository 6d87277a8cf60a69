using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Picollo.AspNetCore.Tests;

/// <summary>Waits for what the server does after it has sent a response.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);

    public static async Task IsTrueAsync(Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string text = "")
    {
        for (long start = Stopwatch.GetTimestamp(); !condition(); await Task.Delay(5))
        {
            Stopwatch.GetElapsedTime(start).Should().BeLessThan(Limit, text);
        }
    }
}
