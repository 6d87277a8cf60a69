using System.Runtime.InteropServices;

namespace Picollo.Benchmarks.Comparison;

/// <summary>
/// The same figures from processes of their own: without profile-guided optimisation, and in precompiled code as it runs before
/// the runtime has recompiled it.
/// </summary>
internal static class OtherModes
{
    // Of a process that hangs: on a busy machine a build takes minutes.
    private static readonly TimeSpan PublishTimeout = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan MeasureTimeout = TimeSpan.FromMinutes(5);

    private static string AssemblyFile => typeof(OtherModes).Assembly.GetName().Name + ".dll";

    /// <summary>Figures by mode, or why there are none.</summary>
    public static IEnumerable<(string Mode, Dictionary<string, Figures>? Figures, string? Reason)> Measure(string[] command)
    {
        yield return Attempt("PGO off", () => ChildProcess.Run(
            "dotnet", ["exec", Path.Combine(AppContext.BaseDirectory, AssemblyFile), .. command], MeasureTimeout, ("DOTNET_TieredPGO", "0")));

        // Nothing is promoted, neither by its calls nor by its loops: what was precompiled stays as it is. What the precompiler
        // leaves out runs as the JIT's unoptimised code here, as it does in any process that has just started.
        yield return Attempt("ReadyToRun, no tier-up", () => ChildProcess.Run(
            "dotnet", ["exec", PublishReadyToRun(), .. command], MeasureTimeout,
            ("DOTNET_TC_CallCounting", "0"), ("DOTNET_TC_OnStackReplacement", "0"), ("DOTNET_TieredPGO", "0")));
    }

    private static (string Mode, Dictionary<string, Figures>? Figures, string? Reason) Attempt(string mode, Func<string> measure)
    {
        try
        {
            return (mode, Figures.Parse(measure()), null);
        }
        catch (Exception e) when (e is InvalidOperationException or IOException or System.ComponentModel.Win32Exception)
        {
            return (mode, null, e.Message);
        }
    }

    private static string PublishReadyToRun()
    {
        string root = ChildProcess.RepositoryRoot;
        string artifacts = Path.Combine(root, "artifacts", "ready-to-run");
        string output = Path.Combine(artifacts, "app");
        ChildProcess.Run(
            "dotnet",
            [
                "publish", Path.Combine(root, "benchmarks", "Picollo.Benchmarks"), "-c", "Release", "-v", "quiet",
                "-r", RuntimeInformation.RuntimeIdentifier, "--no-self-contained", "-p:PublishReadyToRun=true",
                "--artifacts-path", artifacts, "-o", output,
            ],
            PublishTimeout);
        return Path.Combine(output, AssemblyFile);
    }
}
