namespace Picollo.Benchmarks.Comparison;

/// <summary>Runs a program until it ends, and returns its output.</summary>
internal static class ChildProcess
{
    /// <summary>The root folder of the repository. Some programs are built from its sources.</summary>
    /// <exception cref="InvalidOperationException">This program is not in a folder below the root of the repository.</exception>
    public static string RepositoryRoot
    {
        get
        {
            DirectoryInfo? folder = new(AppContext.BaseDirectory);
            while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "Picollo.sln")))
            {
                folder = folder.Parent;
            }

            return folder?.FullName
                ?? throw new InvalidOperationException($"No Picollo.sln found above {AppContext.BaseDirectory}. Run the benchmarks in a clone of the repository.");
        }
    }

    /// <summary>Runs a program.</summary>
    /// <returns>The standard output of the program.</returns>
    /// <exception cref="InvalidOperationException">The program failed or timed out. If it failed, the message ends with the last line of output.</exception>
    public static string Run(
        string program, IEnumerable<string> arguments, TimeSpan timeout, params ReadOnlySpan<(string Name, string Value)> environment)
    {
        ProcessStartInfo start = new(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        using Process process = Process.Start(start) ?? throw new InvalidOperationException($"{program} did not start.");
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> errors = process.StandardError.ReadToEndAsync();
        if (!process.WaitForExit(timeout))
        {
            process.Kill(entireProcessTree: true);
            throw new InvalidOperationException($"{program} took more than {timeout.TotalSeconds} s.");
        }

        return process.ExitCode == 0
            ? output.Result
            : throw new InvalidOperationException($"{program} failed with exit code {process.ExitCode}: {LastLine(output.Result + errors.Result)}");
    }

    private static string LastLine(string text) =>
        text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).LastOrDefault() ?? "no output";
}
