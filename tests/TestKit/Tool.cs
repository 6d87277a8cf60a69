using System.Diagnostics;
using System.Text;

namespace Picollo.TestKit;

/// <summary>Runs a program to its end, or kills it at a deadline, and returns its output.</summary>
internal static class Tool
{
    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(10); // publishing with Native AOT takes 2 minutes, and 6 on a busy machine

    // A build within `dotnet test` must not use the outer MSBuild's paths and switches. It must not leave a build or compiler server
    // running, which would keep its files and output open.
    private static readonly Dictionary<string, string?> BuildEnvironment = Environment.GetEnvironmentVariables()
        .Keys.Cast<string>()
        .Where(name => name.StartsWith("MSBUILD", StringComparison.OrdinalIgnoreCase))
        .ToDictionary(name => name, _ => (string?)null);

    static Tool()
    {
        BuildEnvironment["MSBUILDDISABLENODEREUSE"] = "1";
        BuildEnvironment["UseSharedCompilation"] = "false";
        BuildEnvironment["DOTNET_CLI_UI_LANGUAGE"] = "en";
    }

    /// <summary>The <c>dotnet</c> that runs these tests.</summary>
    public static string DotnetPath { get; } = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";

    /// <summary>Runs <c>dotnet</c> with the SDK that runs these tests.</summary>
    public static string Dotnet(string workingDirectory, params string[] arguments) => Run(DotnetPath, workingDirectory, BuildEnvironment, arguments);

    /// <summary>Returns a command line that runs tests/HelperApp from the folder of the tests.</summary>
    /// <param name="arguments">The arguments; see its Program.cs.</param>
    public static string[] HelperApp(params string[] arguments) => [DotnetPath, Path.Combine(AppContext.BaseDirectory, "HelperApp.dll"), .. arguments];

    /// <summary>Whether a program of that name is on the PATH.</summary>
    public static bool Exists(string program) => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator).Any(folder => File.Exists(Path.Combine(folder, program)));

    /// <summary>Runs a program and returns its standard output. If it fails, throws an exception with its output.
    /// <paramref name="environment"/> is added to the current environment; a null value removes a variable.</summary>
    public static string Run(
        string program, string workingDirectory, IReadOnlyDictionary<string, string?> environment, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = workingDirectory,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        using var process = Process.Start(start)!;
        var output = Collect(process, errors: false);
        var errors = Collect(process, errors: true);
        if (!process.WaitForExit(Deadline))
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{program} {string.Join(' ', arguments)} took longer than {Deadline}:\n{output}\n{errors}");
        }

        process.WaitForExit(); // waits for the last of the redirected output, which the timed overload does not
        return process.ExitCode == 0
            ? output.ToString()
            : throw new InvalidOperationException(
                $"{program} {string.Join(' ', arguments)} ended with {process.ExitCode}:\n{output}\n{errors}");
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
