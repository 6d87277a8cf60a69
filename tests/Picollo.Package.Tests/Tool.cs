using System.Diagnostics;
using System.Text;

namespace Picollo.Package.Tests;

/// <summary>Runs a program to its end, or ends it at a deadline, and gives back what it printed.</summary>
internal static class Tool
{
    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(5);

    /// <summary>Runs the SDK that runs these tests.</summary>
    public static string Dotnet(string workingDirectory, params string[] arguments) =>
        Run(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", workingDirectory, arguments);

    /// <summary>Returns standard output; a failing program is an exception that carries all it printed.</summary>
    public static string Run(string program, string workingDirectory, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = workingDirectory,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        HideTheOuterBuild(start.Environment);

        using var process = Process.Start(start)!;
        var output = Collect(process, errors: false);
        var errors = Collect(process, errors: true);
        if (!process.WaitForExit(Deadline))
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{program} {string.Join(' ', arguments)} took over {Deadline}:\n{output}\n{errors}");
        }

        process.WaitForExit(); // waits for the last of the redirected output, which the timed overload does not
        return process.ExitCode == 0
            ? output.ToString()
            : throw new InvalidOperationException(
                $"{program} {string.Join(' ', arguments)} ended with {process.ExitCode}:\n{output}\n{errors}");
    }

    // `dotnet test` leaves its own MSBuild's paths and switches in the environment; a build within would follow them.
    private static void HideTheOuterBuild(IDictionary<string, string?> environment)
    {
        var inherited = environment.Keys.Where(
            name => name.StartsWith("MSBUILD", StringComparison.OrdinalIgnoreCase)).ToList();
        inherited.ForEach(name => environment.Remove(name));
        environment["DOTNET_CLI_UI_LANGUAGE"] = "en";
        environment["MSBUILDDISABLENODEREUSE"] = "1"; // no build server outlives the test, holding its pipes open
    }

    private static StringBuilder Collect(Process process, bool errors)
    {
        var text = new StringBuilder();
        DataReceivedEventHandler append = (_, line) =>
        {
            if (line.Data is not null)
            {
                lock (text)
                {
                    text.Append(line.Data).Append('\n');
                }
            }
        };
        if (errors)
        {
            process.ErrorDataReceived += append;
            process.BeginErrorReadLine();
        }
        else
        {
            process.OutputDataReceived += append;
            process.BeginOutputReadLine();
        }

        return text;
    }
}
