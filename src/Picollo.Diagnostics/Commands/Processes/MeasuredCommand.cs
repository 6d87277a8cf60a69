using System.Buffers;
using System.ComponentModel;
using Picollo.Cpu.Linux;

namespace Picollo.Diagnostics;

/// <summary>A command for a <see cref="CommandMeter"/>: a program with arguments, or a command line for the shell.</summary>
/// <remarks>Immutable and thread-safe.</remarks>
internal sealed record MeasuredCommand
{
    private static readonly SearchValues<char> QuotedCharacters = SearchValues.Create(" \t\n'\"\\$`;&|<>()*?");

    private MeasuredCommand(string text, string[] arguments, bool isText) => (Text, ArgumentList, IsText) = (text, arguments, isText);

    /// <summary>The command for display: the command line for the shell, or the program and its arguments separated by spaces and quoted if
    /// necessary.</summary>
    public string Text { get; }

    public bool IsText { get; }

    /// <summary>Whether the standard output of the command goes to the standard error of this process
    /// (<see cref="WithOutputToError"/>).</summary>
    public bool OutputToError { get; private init; }

    /// <summary>Whether the command does not inherit the real-time scheduling of this process
    /// (<see cref="WithNormalScheduling"/>).</summary>
    public bool HasNormalScheduling { get; private init; }

    public string[] ArgumentList { get; }

    /// <summary>The file for the standard input; null for the standard input of this process.</summary>
    public string? InputPath { get; init; }

    /// <summary>The current directory of the command; null for that of this process.</summary>
    public string? WorkingDirectory { get; init; }

    /// <summary>The changes to the environment variables of this process; null removes a variable.</summary>
    public IReadOnlyDictionary<string, string?> Environment { get; init; } = new Dictionary<string, string?>();

    /// <summary>Creates a command from a program, which is looked up in <c>PATH</c> if its name has no slash. It runs in the process group
    /// of this process, so Ctrl+C at the terminal reaches both.</summary>
    /// <exception cref="ArgumentException">The name is empty, or the name or an argument contains a NUL character.</exception>
    public static MeasuredCommand FromArguments(string program, params ReadOnlySpan<string> arguments)
    {
        ArgumentException.ThrowIfNullOrEmpty(program);
        string[] all = [program, .. arguments];
        foreach (string argument in all)
        {
            ThrowIfContainsNul(argument, nameof(arguments));
        }

        return new(string.Join(' ', all.Select(Quoted)), all, isText: false);
    }

    /// <summary>Creates a command from a command line for the shell (<c>/bin/sh -c</c>; on Windows <c>cmd /c</c>). On Linux, it runs in its
    /// own session and process group, without the job control of the terminal: <see cref="RunningCommand.SendSignal"/> reaches the whole
    /// group, and processes of the group that remain after the run are killed.</summary>
    /// <exception cref="ArgumentException">The line is blank, or contains a NUL character.</exception>
    public static MeasuredCommand FromText(string text)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(text);
        ThrowIfContainsNul(text, nameof(text));
        return new(text, OperatingSystem.IsWindows() ? ["cmd.exe", "/c", text] : ["/bin/sh", "-c", text], isText: true);
    }

    /// <summary>Creates a description of a running process from its command line or, if it has none, its name. It cannot be
    /// started.</summary>
    public static MeasuredCommand OfProcess(int id)
    {
        string[] arguments = ArgumentsOf(id);
        return new(FormattableString.Invariant($"process {id}: ") + string.Join(' ', arguments.Select(Quoted)), arguments, isText: false);
    }

    /// <summary>Redirects the standard output of the command to the standard error of this process, so that it does not mix with this
    /// process's standard output.</summary>
    public MeasuredCommand WithOutputToError() => this with { OutputToError = true };

    /// <summary>Runs the command with the scheduler's normal policy (SCHED_OTHER), even if the thread that starts it has a real-time policy
    /// (SCHED_FIFO, SCHED_RR), which it would inherit. The nice value and the CPUs are inherited. Only Linux supports this; other systems
    /// ignore it.</summary>
    public MeasuredCommand WithNormalScheduling() => this with { HasNormalScheduling = true };

    public override string ToString() => Text;

    /// <summary>Creates the exception for a command that cannot be executed, or whose directory cannot be entered.</summary>
    public Win32Exception StartFailed(int error)
    {
        string subject = WorkingDirectory is null ? ArgumentList[0]
            : Directory.Exists(WorkingDirectory) ? $"{ArgumentList[0]} (working directory {WorkingDirectory})"
            : $"working directory {WorkingDirectory}";
        return new(error, $"{subject}: {Marshal.GetPInvokeErrorMessage(error)}");
    }

    private static string[] ArgumentsOf(int id)
    {
        string line = Read("cmdline").TrimEnd('\0');
        return line.Length > 0 ? line.Split('\0')
            : Read("comm").TrimEnd('\n') is { Length: > 0 } name ? [name]
            : ["?"]; // it has ended, or this is not Linux; Attach reports the reason

        string Read(string name) => OperatingSystem.IsLinux() ? LinuxFiles.ReadText($"/proc/{id}/{name}") : "";
    }

    private static string Quoted(string argument) =>
        argument.Length > 0 && !argument.AsSpan().ContainsAny(QuotedCharacters) ? argument
        : $"'{argument.Replace("'", "'\\''", StringComparison.Ordinal)}'";

    private static void ThrowIfContainsNul(string text, string argument)
    {
        ArgumentNullException.ThrowIfNull(text, argument);
        if (text.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException("A command must not contain a NUL character.", argument);
        }
    }
}
