using System.Diagnostics;
using System.Runtime.Versioning;
using System.Text;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests;

/// <summary>The tool as users start it, in a process of its own with its output in pipes; or its command line in this process, which is faster.</summary>
internal static class PicolloTool
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(60);

    // A command line has options and help texts that are static.
    private static readonly Lock Here = new();

    /// <summary>The program, which lies beside the tests.</summary>
    public static string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, OperatingSystem.IsWindows() ? "Picollo.Cli.exe" : "Picollo.Cli");

    /// <summary>The program as a word of a shell's script, without quotes: a link to it where its path has a space.</summary>
    public static string Word { get; } = Path.Contains(' ', StringComparison.Ordinal) ? LinkWithoutSpace() : Path;

    /// <summary>A command of the shell that is the tool as a user without rights: where the tests are root, user 65534 with a program that this user can
    /// reach; else the tool alone. It is <c>$unprivileged</c> in a script.</summary>
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

    /// <summary>Runs a command line in this process: for what does not depend on signals, descriptors or the process.</summary>
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

    /// <summary>By a shell, for redirections and pipes; the tool is <c>$picollo</c> there, and
    /// <c>$unprivileged</c> for a user without rights.</summary>
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

    /// <summary>The program in a folder that all users can reach, whatever the mode of the folders above the tests.</summary>
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

    /// <summary>A folder that goes with this process.</summary>
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
