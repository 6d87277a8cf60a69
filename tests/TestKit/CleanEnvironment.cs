using System.Runtime.CompilerServices;

namespace Picollo.TestKit;

internal static class CleanEnvironment
{
    /// <summary>Removes variables that configure the tested code and the OpenTelemetry SDK, before the first test.</summary>
    [ModuleInitializer]
    internal static void RemoveOpenTelemetryVariables()
    {
        foreach (string name in Environment.GetEnvironmentVariables().Keys.Cast<string>().Where(name => name.StartsWith("OTEL_", StringComparison.Ordinal)))
        {
            Environment.SetEnvironmentVariable(name, null);
        }
    }
}
