using System.Buffers;
using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Picollo.Diagnostics;

/// <summary>A command that a <see cref="CommandMeter"/> runs: a program with arguments, or a line for the shell.</summary>
/// <remarks>Immutable and thread-safe. Environment and current directory are this process's at the start of each run.</remarks>
internal sealed class MeasuredCommand
{
    private static readonly SearchValues<char> QuotedCharacters = SearchValues.Create(" \t\n'\"\\$`;&|<>()*?");

    private MeasuredCommand(string text, string[] arguments, bool isText) => (Text, ArgumentList, IsText) = (text, arguments, isText);

    private MeasuredCommand(MeasuredCommand other)
        : this(other.Text, other.ArgumentList, other.IsText) =>
        (OutputToError, HasNormalScheduling, Environment) = (other.OutputToError, other.HasNormalScheduling, other.Environment);

    /// <summary>The command as a person wrote it: the shell's line, or program and arguments with blanks between, those that hold blanks in
    /// quotes. To look at.</summary>
    public string Text { get; }

    /// <summary>Whether it is a line for the shell (<see cref="FromText"/>).</summary>
    public bool IsText { get; }

    /// <summary>Whether what it writes to standard output goes to this process's standard error
    /// (<see cref="WithOutputToError"/>).</summary>
    public bool OutputToError { get; private init; }

    /// <summary>Whether it leaves this process's real-time scheduling (<see cref="WithNormalScheduling"/>).</summary>
    public bool HasNormalScheduling { get; private init; }

    /// <summary>What its environment has besides this process's, or in place of it (<see cref="WithEnvironment"/>).</summary>
    public IReadOnlyDictionary<string, string> Environment { get; private init; } = new Dictionary<string, string>();

    /// <summary>The program and its arguments: what is executed.</summary>
    public string[] ArgumentList { get; }

    /// <summary>A program, looked for on the <c>PATH</c> if its name has no slash, in this process's group: Ctrl+C at the terminal reaches
    /// it as it reaches this process.</summary>
    /// <exception cref="ArgumentException">The name is empty, or one of them holds a character 0.</exception>
    public static MeasuredCommand FromArguments(string program, params ReadOnlySpan<string> arguments)
    {
        ArgumentException.ThrowIfNullOrEmpty(program);
        string[] all = [program, .. arguments];
        foreach (string argument in all)
        {
            ThrowIfZero(argument, nameof(arguments));
        }

        return new(string.Join(' ', all.Select(Quoted)), all, isText: false);
    }

    /// <summary>A line for the shell (<c>/bin/sh -c</c>; on Windows <c>cmd /c</c>). On Linux it runs in a session, and so a process group,
    /// of its own, without the terminal's job control: <see cref="RunningCommand.Signal"/> reaches the whole group, and what is left of
    /// it at the end of the run is killed.</summary>
    /// <exception cref="ArgumentException">The line is blank, or holds a character 0.</exception>
    public static MeasuredCommand FromText(string text)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(text);
        ThrowIfZero(text, nameof(text));
        return new(text, OperatingSystem.IsWindows() ? ["cmd.exe", "/c", text] : ["/bin/sh", "-c", text], isText: true);
    }

    /// <summary>A process that runs already, by its command line, or its name where it has none. It cannot be started.</summary>
    public static MeasuredCommand OfProcess(int id)
    {
        string[] arguments = ArgumentsOf(id);
        return new(FormattableString.Invariant($"process {id}: ") + string.Join(' ', arguments.Select(Quoted)), arguments, isText: false);
    }

    /// <summary>Sends what it writes to standard output to this process's standard error: this process's standard output is then its
    /// own.</summary>
    public MeasuredCommand WithOutputToError() => new(this) { OutputToError = true };

    /// <summary>Runs it by the scheduler's normal policy (SCHED_OTHER), also where the thread that starts it has a real-time one
    /// (SCHED_FIFO, SCHED_RR), which it would inherit. Nice value and CPUs stay as they are inherited. Does nothing but on Linux.</summary>
    public MeasuredCommand WithNormalScheduling() => new(this) { HasNormalScheduling = true };

    /// <summary>Sets variables of its environment, which it otherwise has from this process. Does nothing except on Linux.</summary>
    public MeasuredCommand WithEnvironment(IReadOnlyDictionary<string, string> variables) => new(this) { Environment = variables };

    public override string ToString() => Text;

    /// <summary>The exception for a command that cannot be executed.</summary>
    /// <param name="error">The system's error number.</param>
    public Win32Exception StartFailed(int error) => new(error, $"{ArgumentList[0]}: {Marshal.GetPInvokeErrorMessage(error)}");

    private static string[] ArgumentsOf(int id)
    {
        try
        {
            string line = File.ReadAllText($"/proc/{id}/cmdline");
            return line.Length > 0 ? line.TrimEnd('\0').Split('\0') : [File.ReadAllText($"/proc/{id}/comm").TrimEnd('\n')];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return ["?"]; // it has ended, or this is not Linux: Attach says so
        }
    }

    private static string Quoted(string argument) =>
        argument.Length > 0 && !argument.AsSpan().ContainsAny(QuotedCharacters) ? argument
        : $"'{argument.Replace("'", "'\\''", StringComparison.Ordinal)}'";

    private static void ThrowIfZero(string text, string argument)
    {
        ArgumentNullException.ThrowIfNull(text, argument);
        if (text.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException("A command's words hold no character 0.", argument);
        }
    }
}
