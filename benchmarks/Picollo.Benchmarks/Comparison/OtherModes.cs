using System.Runtime.InteropServices;

namespace Picollo.Benchmarks.Comparison;

/// <summary>
/// Measures the same figures in separate processes: without profile-guided optimization, and with precompiled code before
/// the runtime recompiles it.
/// </summary>
internal static class OtherModes
{
    // Ends a process that hangs. On a busy machine, a build takes minutes.
    private static readonly TimeSpan PublishTimeout = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan MeasureTimeout = TimeSpan.FromMinutes(5);

    private static string AssemblyFile => typeof(OtherModes).Assembly.GetName().Name + ".dll";

    /// <summary>Returns the figures of each mode, or the reason why they are unavailable.</summary>
    public static IEnumerable<(string Mode, Dictionary<string, Figures>? Figures, string? Reason)> Measure(string[] command)
    {
        yield return Attempt("PGO off", () => ChildProcess.Run(
            "dotnet", ["exec", Path.Combine(AppContext.BaseDirectory, AssemblyFile), .. command], MeasureTimeout, ("DOTNET_TieredPGO", "0")));

        // Methods are not promoted by calls or by loops, so precompiled code is not replaced. Methods that are not precompiled run
        // as unoptimized code of the JIT, as in a process that has just started.
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
