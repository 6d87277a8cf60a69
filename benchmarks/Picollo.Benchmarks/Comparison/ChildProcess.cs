namespace Picollo.Benchmarks.Comparison;

/// <summary>Runs a program to its end and returns what it wrote.</summary>
internal static class ChildProcess
{
    /// <summary>The folder with the sources, which some programs are built from.</summary>
    /// <exception cref="InvalidOperationException">This program does not run below it.</exception>
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
                ?? throw new InvalidOperationException($"No Picollo.sln above {AppContext.BaseDirectory}: the sources are needed.");
        }
    }

    /// <exception cref="InvalidOperationException">It failed or took too long; the message ends with its last words.</exception>
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
            : throw new InvalidOperationException($"{program} ended with {process.ExitCode}: {LastLine(output.Result + errors.Result)}");
    }

    private static string LastLine(string text) =>
        text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).LastOrDefault() ?? "no output";
}
