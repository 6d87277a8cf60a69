using System.Diagnostics;
using System.Runtime.Versioning;
using System.Text;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests;

/// <summary>Runs the tool in a separate process with its output in pipes, or runs its command line in this process, which is
/// faster.</summary>
internal static class PicolloTool
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(60);

    // Options and help texts of the command line are static.
    private static readonly Lock Here = new();

    /// <summary>The path of the program, in the folder of the tests.</summary>
    public static string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, OperatingSystem.IsWindows() ? "Picollo.Cli.exe" : "Picollo.Cli");

    /// <summary>The program as an unquoted word of a shell script: a link to it if its path contains a space.</summary>
    public static string Word { get; } = Path.Contains(' ', StringComparison.Ordinal) ? LinkWithoutSpace() : Path;

    /// <summary>The shell command that runs the tool as an unprivileged user, <c>$unprivileged</c> in a script. If the tests run as root,
    /// it uses user 65534 and a copy of the program that this user can access.</summary>
    public static string Unprivileged => UnprivilegedCommand.Value;

    private static Lazy<string> UnprivilegedCommand { get; } = new(() => OperatingSystem.IsWindows() || !Environment.IsPrivilegedProcess
        ? Word
        : $"setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all env DOTNET_CLI_HOME=/tmp {CopyForAll()}");

    public static ToolRun Run(params string[] arguments) => RunWithInput("", arguments);

    public static ToolRun RunWithInput(string input, params string[] arguments)
    {
        ProcessStartInfo start = new(Path, arguments);
        return Run(start, input);
    }

    /// <summary>Runs a command line in this process, for tests that do not depend on signals, descriptors or the process.</summary>
    public static ToolRun RunHere(params string[] arguments) => RunHereWithInput("", arguments);

    public static ToolRun RunHereWithInput(string input, params string[] arguments)
    {
        using MemoryStream output = new(), error = new();
        using StreamWriter outWriter = Writer(output), errorWriter = Writer(error);
        errorWriter.AutoFlush = true;
        Terminal terminal = new(outWriter, errorWriter) { OpenInput = () => new MemoryStream(Encoding.UTF8.GetBytes(input)) };
        int exitCode;
        lock (Here)
        {
            exitCode = PicolloCommand.Run(arguments, terminal);
        }

        return new(exitCode, Encoding.UTF8.GetString(output.ToArray()), Encoding.UTF8.GetString(error.ToArray()));

        static StreamWriter Writer(Stream stream) => new(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)) { NewLine = "\n" };
    }

    /// <summary>Runs a shell script, for redirections and pipes. In the script, the tool is <c>$picollo</c>, and <c>$unprivileged</c> for
    /// an unprivileged user.</summary>
    public static ToolRun RunInShell(string script)
    {
        ProcessStartInfo start = new("/bin/bash", ["-c", script]);
        start.Environment["picollo"] = Word;
        if (script.Contains("$unprivileged", StringComparison.Ordinal))
        {
            start.Environment["unprivileged"] = Unprivileged;
        }

        return Run(start, "");
    }

    /// <summary>Copies the program to a folder that all users can access, because the folders above the tests may be
    /// inaccessible.</summary>
    [UnsupportedOSPlatform("windows")]
    private static string CopyForAll()
    {
        const UnixFileMode Read = UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
        const UnixFileMode Search = UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;
        string folder = FolderOfThisProcess();
        foreach (string file in Directory.EnumerateFiles(AppContext.BaseDirectory))
        {
            string copy = System.IO.Path.Combine(folder, System.IO.Path.GetFileName(file));
            File.Copy(file, copy);
            File.SetUnixFileMode(copy, Read | (file == Path ? Search : 0));
        }

        File.SetUnixFileMode(folder, Read | Search | UnixFileMode.UserWrite);
        return System.IO.Path.Combine(folder, System.IO.Path.GetFileName(Path));
    }

    private static string LinkWithoutSpace()
    {
        string link = System.IO.Path.Combine(FolderOfThisProcess(), "picollo");
        File.CreateSymbolicLink(link, Path);
        return link;
    }

    /// <summary>Creates a folder that is deleted when this process ends.</summary>
    private static string FolderOfThisProcess()
    {
        string folder = Directory.CreateTempSubdirectory("picollo-cli-").FullName;
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(folder, recursive: true);
        return folder;
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
            // The process ended before it read the whole input.
        }

        if (!process.WaitForExit(Timeout))
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{start.FileName} {string.Join(' ', start.ArgumentList)} has not ended in {Timeout.TotalSeconds} s.");
        }

        return new(process.ExitCode, output.Result, error.Result);
    }
}

/// <summary>The result of a process.</summary>
internal sealed record ToolRun(int ExitCode, string Output, string Error);
