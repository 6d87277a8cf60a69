using System.Diagnostics;

namespace Picollo.Cli.Tests;

/// <summary>The tool as users start it: a process of its own, its output in pipes.</summary>
internal static class PicolloTool
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(60);

    /// <summary>The program, which lies beside the tests.</summary>
    public static string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, OperatingSystem.IsWindows() ? "Picollo.Cli.exe" : "Picollo.Cli");

    public static ToolRun Run(params string[] arguments) => RunWithInput("", arguments);

    public static ToolRun RunWithInput(string input, params string[] arguments)
    {
        ProcessStartInfo start = new(Path, arguments);
        return Run(start, input);
    }

    /// <summary>By a shell, for redirections and pipes; the tool is <c>$picollo</c> there.</summary>
    public static ToolRun RunInShell(string script)
    {
        ProcessStartInfo start = new("/bin/bash", ["-c", script]);
        start.Environment["picollo"] = Path;
        return Run(start, "");
    }

    private static ToolRun Run(ProcessStartInfo start, string input)
    {
        start.RedirectStandardInput = start.RedirectStandardOutput = start.RedirectStandardError = true;
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        try
        {
            process.StandardInput.Write(input);
            process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It ended without reading all.
        }

        if (!process.WaitForExit(Timeout))
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{start.FileName} {string.Join(' ', start.ArgumentList)} has not ended in {Timeout.TotalSeconds} s.");
        }

        return new(process.ExitCode, output.Result, error.Result);
    }
}

/// <summary>How a process ended.</summary>
internal sealed record ToolRun(int ExitCode, string Output, string Error);
