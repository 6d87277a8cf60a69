using System.Diagnostics;
using System.Reflection;
using Picollo.Export.Text;

namespace Picollo.AspNetCore.Page;

internal static class AboutProcess
{
    // Not a static initializer, because it may throw.
    private static readonly Lazy<DateTimeOffset> Started =
        new(static () => Process.GetCurrentProcess().StartTime.ToUniversalTime(), LazyThreadSafetyMode.PublicationOnly);

    // Without the commit.
    private static readonly string? Version = Assembly.GetEntryAssembly()
        ?.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0];

    /// <summary>Returns the description as one line of text.</summary>
    public static string At(DateTimeOffset now)
    {
        // In whole minutes, because the page is sent again each second if its text has changed.
        var minutes = TimeSpan.FromMinutes(Math.Floor((now - Started.Value).TotalMinutes));
        string duration = minutes > TimeSpan.Zero ? Quantity.Duration(minutes) : "less than a minute";
        string up = string.Create(CultureInfo.InvariantCulture, $"running for {duration}, since {Started.Value:yyyy-MM-dd HH:mm:ss} UTC");
        string machine = $"{Environment.MachineName}, {RuntimeInformation.OSDescription}, {RuntimeInformation.FrameworkDescription}";
        return Version is null ? $"{up}, on {machine}" : $"version {Version}, {up}, on {machine}";
    }
}
