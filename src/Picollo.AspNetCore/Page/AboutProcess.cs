using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Picollo.AspNetCore.Page;

/// <summary>What is measured: the application's version, how long it has run, and the machine.</summary>
internal static class AboutProcess
{
    private static readonly DateTimeOffset Started = Process.GetCurrentProcess().StartTime.ToUniversalTime();

    // Without the commit.
    private static readonly string? Version = Assembly.GetEntryAssembly()
        ?.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0];

    /// <summary>One line.</summary>
    public static string At(DateTimeOffset now)
    {
        // Whole minutes: what is sent each second must not change by itself.
        var minutes = TimeSpan.FromMinutes(Math.Floor((now - Started).TotalMinutes));
        string duration = minutes > TimeSpan.Zero ? Numbers.Duration(minutes) : "less than a minute";
        string up = string.Create(CultureInfo.InvariantCulture, $"running for {duration}, since {Started:yyyy-MM-dd HH:mm:ss} UTC");
        string machine = $"{Environment.MachineName}, {RuntimeInformation.OSDescription}, {RuntimeInformation.FrameworkDescription}";
        return Version is null ? $"{up}, on {machine}" : $"version {Version}, {up}, on {machine}";
    }
}
