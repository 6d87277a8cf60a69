using System.Globalization;

namespace Picollo.Hosted;

/// <summary>What the variables of the environment request. They are removed, so that neither the application nor its children see
/// them.</summary>
/// <param name="Port">The port of the page on this machine; 0 for any free one.</param>
/// <param name="Measured">What is measured in addition to CPU time.</param>
/// <param name="Meters">The names of meters whose histograms are shown.</param>
/// <param name="IsExporting">Whether values are exported to an OpenTelemetry receiver.</param>
/// <param name="IsReporting">Whether the page is written to the folder when the process ends.</param>
/// <param name="Folder">The folder for messages to the program that started the application; null if it does not read them.</param>
internal sealed record HostedSettings(
    int Port, IReadOnlyList<string> Measured, IReadOnlyList<string> Meters, bool IsExporting, bool IsReporting, string? Folder)
{
    public static HostedSettings Take() => new(
        int.TryParse(Take("PICOLLO_PORT"), CultureInfo.InvariantCulture, out int port) ? port : 0,
        Split(Take("PICOLLO_MEASURE")),
        Split(Take("PICOLLO_METERS")),
        Take("PICOLLO_OTLP") is not null,
        Take("PICOLLO_REPORT") is not null,
        Take("PICOLLO_STATE"));

    private static string[] Split(string? list) =>
        (list ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    private static string? Take(string name)
    {
        string? value = Environment.GetEnvironmentVariable(name);
        Environment.SetEnvironmentVariable(name, null);
        return value is { Length: > 0 } ? value : null;
    }
}
