using System.Reflection;
using Picollo.AspNetCore.Reading;
using Picollo.Export.Text;

namespace Picollo.AspNetCore.Page;

internal static class AboutProcess
{
    // Without the commit.
    private static readonly string? Version = Assembly.GetEntryAssembly()
        ?.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0];

    /// <summary>Returns the description as one line of text.</summary>
    public static string At(DateTimeOffset now)
    {
        // In whole minutes, because the page is sent again each second if its text has changed.
        DateTimeOffset start = ProcessAccount.Started;
        var minutes = TimeSpan.FromMinutes(Math.Floor((now - start).TotalMinutes));
        string duration = minutes > TimeSpan.Zero ? Quantity.Duration(minutes) : "less than a minute";
        string up = string.Create(CultureInfo.InvariantCulture, $"running for {duration}, since {start:yyyy-MM-dd HH:mm:ss} UTC");
        string machine = $"{Environment.MachineName}, {RuntimeInformation.OSDescription}, {RuntimeInformation.FrameworkDescription}";
        return Version is null ? $"{up}, on {machine}" : $"version {Version}, {up}, on {machine}";
    }
}
