namespace Picollo.Export.Tests;

/// <summary>Interval logs that the Java library wrote, from the test resources of HdrHistogram.NET (CC0), in <c>Logs</c>.</summary>
internal static class GoldenLogs
{
    public const string V0 = "jHiccup-2.0.1.logV0.hlog";
    public const string V1 = "jHiccup-2.0.6.logV1.hlog";
    public const string V2 = "jHiccup-2.0.7S.logV2.hlog";
    public const string Tagged = "tagged-Log.logV2.hlog";

    public static string PathOf(string name) =>
        Path.Combine(Repository.Root, "tests", "Picollo.Export.Tests", "Logs", "Data", name);
}
