using System.Diagnostics;

namespace Picollo.Benchmarks.Comparison;

/// <summary>Runs a program to its end and returns what it wrote.</summary>
internal static class ChildProcess
{
    /// <exception cref="InvalidOperationException">It failed or took too long; the message ends with its last words.</exception>
    public static string Run(
        string program, IEnumerable<string> arguments, IEnumerable<(string Name, string Value)> environment, TimeSpan timeout)
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
