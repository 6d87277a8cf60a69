using System.Collections.ObjectModel;
using System.ComponentModel;
using Picollo.Diagnostics.Commands.Linux;
using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>
/// Runs commands and measures each run: elapsed time, CPU time, memory, page faults, context switches, and counters of the CPU and of the
/// kernel.
/// </summary>
/// <remarks>
/// <para>On Linux (x64, arm64), a small separate program holds the command until its counters are open, and then waits for it. This is
/// necessary because a process starts with the maximum resident size of the process from which it was forked, so a command that a .NET
/// process starts would show at least the size of that process. The program also measures the times. Counters start with the command's
/// first instruction, and include all processes that the command starts.</para>
/// <para>On other systems, a run uses <see cref="System.Diagnostics.Process"/>, and <see cref="UnavailableReason"/> lists the unavailable
/// values.</para>
/// <para>The command inherits the standard output and error of this process. <see cref="InputPath"/>, <see cref="WorkingDirectory"/> and
/// <see cref="Environment"/> change its standard input, its current directory and its environment, which it otherwise inherits, too.
/// Commands that read an inherited standard input share it: each one continues where the previous one stopped, even in a file. Immutable
/// and thread-safe. A run takes about one millisecond more than the command.</para>
/// <example>
/// <code>
/// var meter = new CommandMeter(PerfEventCounterSession.Factory.WithPerfEvents("task-clock,instructions").WithOptional());
/// CommandRun run = meter.Run("gzip", "-k", "access.log");
/// Console.WriteLine($"{run.Elapsed.TotalSeconds:0.000} s, {run.Usage}");
/// </code>
/// </example>
/// </remarks>
public sealed class CommandMeter
{
    private static readonly TimeSpan ShortestInterval = TimeSpan.FromMilliseconds(1);

    private readonly PerfEventSettings? _counters;
    private readonly Func<(SpawnProgram? Program, MeasurementUnavailableException? Failure)> _spawn;

    /// <summary>Creates a meter.</summary>
    /// <param name="counters">The counters; <see langword="null"/> for none. Targets are ignored; the command is always the target.</param>
    public CommandMeter(PerfEventCounterSessionFactory? counters = null)
        : this(counters, () => SpawnProgram.Current)
    {
    }

    internal CommandMeter(
        PerfEventCounterSessionFactory? counters, Func<(SpawnProgram? Program, MeasurementUnavailableException? Failure)> spawn)
    {
        _counters = counters is { Settings.Counters.Count: > 0 } ? counters.Settings : null;
        _spawn = spawn;
    }

    /// <summary>The path of the file that each command reads as its standard input. The file is opened for each run, so that all runs
    /// read the same bytes. <see langword="null"/>, the default, for the standard input of this process.</summary>
    /// <remarks>If <see cref="UnavailableReason"/> is not <see langword="null"/>, the command reads the content of the file from a
    /// pipe.</remarks>
    public string? InputPath { get; init; }

    /// <summary>The current directory of the commands. <see langword="null"/>, the default, for the current directory of this
    /// process.</summary>
    /// <remarks>If the program is a relative path with a slash, it is relative to the current directory of this process, as with
    /// <see cref="ProcessStartInfo.WorkingDirectory"/>. If the program is a name and <c>PATH</c> contains a relative directory, that
    /// directory is relative to <see cref="WorkingDirectory"/>.</remarks>
    /// <exception cref="ArgumentException">The value is empty or contains a NUL character.</exception>
    public string? WorkingDirectory
    {
        get;
        init => field = value is null ? null : Path.GetFullPath(value);
    }

    /// <summary>The environment variables of the commands that differ from those of this process: a text sets a variable, and
    /// <see langword="null"/> removes it. Empty by default. The value is copied.</summary>
    /// <remarks>On Linux, the program is looked up in the <c>PATH</c> of this environment, as a shell does. If
    /// <see cref="UnavailableReason"/> is not <see langword="null"/>, it is looked up in the <c>PATH</c> of this process, as
    /// <see cref="ProcessStartInfo"/> does.</remarks>
    /// <exception cref="ArgumentException">A name is empty or contains <c>=</c>, or a name or text contains a NUL character.</exception>
    public IReadOnlyDictionary<string, string?> Environment
    {
        get;
        init => field = value.All(
            variable => variable.Key is not "" && !variable.Key.AsSpan().Contains('=') && !$"{variable}".AsSpan().Contains('\0'))
            ? new Dictionary<string, string?>(value)
            : throw new ArgumentException("A name must not be empty or contain '=', and no text may contain NUL.", nameof(Environment));
    } = new Dictionary<string, string?>();

    /// <summary>The interval at which the command's threads are read, at least 1 ms; null, the default, to disable this. A thread that
    /// lives for less than the interval is likely to be missed. A read takes about 20 µs per thread. Linux only. Must be set before the
    /// first run.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1 ms.</exception>
    internal TimeSpan? ThreadInterval
    {
        get;
        set
        {
            if (value is { } interval)
            {
                ArgumentOutOfRangeException.ThrowIfLessThan(interval, ShortestInterval, nameof(value));
            }

            field = value;
        }
    }

    /// <summary>The interval at which the counters are read while a command runs, and the callback that receives each interval on a
    /// separate thread; null, the default, to read the counters only at the end. Must be set before the first run.</summary>
    internal (TimeSpan Length, Action<long, IReadOnlyList<CommandCounter>> Report)? Intervals { get; set; }

    /// <summary>The callback that receives the ID of each command's process before the command's first instruction; null, the default, for
    /// none. Requires that <see cref="UnavailableReason"/> is null. Must be set before the first run.</summary>
    internal Action<int>? ProcessCreated { get; set; }

    /// <summary>The values of a run that are unavailable, and the cause; <see langword="null"/> if all are available. Each run and each
    /// call checks again, because the cause can be temporary, such as a lack of file descriptors.</summary>
    public string? UnavailableReason => _spawn().Failure?.Message;

    /// <summary>Runs a command to its end.</summary>
    /// <param name="program">The program's name or path. A name without a slash is looked up in <c>PATH</c>
    /// (<see cref="Environment"/>).</param>
    /// <param name="arguments">The arguments, passed on unchanged.</param>
    /// <returns>The result of the run.</returns>
    /// <inheritdoc cref="Start(string, ReadOnlySpan{string})" path="/remarks"/>
    /// <inheritdoc cref="Start(string, ReadOnlySpan{string})" path="/exception"/>
    /// <inheritdoc cref="RunningCommand.Wait" path="/exception"/>
    public CommandRun Run(string program, params ReadOnlySpan<string> arguments) => Run(MeasuredCommand.FromArguments(program, arguments));

    internal CommandRun Run(MeasuredCommand command)
    {
        using RunningCommand running = Start(command);
        return running.Wait();
    }

    /// <summary>Starts a command. Blocks for about a millisecond.</summary>
    /// <param name="program">The program's name or path. A name without a slash is looked up in <c>PATH</c>
    /// (<see cref="Environment"/>).</param>
    /// <param name="arguments">The arguments, passed on unchanged.</param>
    /// <returns>The running command. Wait for it and dispose it.</returns>
    /// <remarks>The command is in the process group of this process, so Ctrl+C at the terminal reaches both. Use a shell for a pipeline:
    /// <c>Start("/bin/sh", "-c", "sort words | uniq")</c>. On Linux, text is passed as UTF-8, and a lone surrogate U+DC80 to U+DCFF as the
    /// byte 80 to FF. Variables that this process has not changed keep their bytes.</remarks>
    /// <exception cref="ArgumentException">The program's name is empty, or the name or an argument contains a NUL character.</exception>
    /// <exception cref="ArgumentNullException">The program or an argument is <see langword="null"/>.</exception>
    /// <exception cref="MeasurementUnavailableException">A required counter is unavailable, or the system has run out of processes or file
    /// descriptors.</exception>
    /// <exception cref="IOException">The file of <see cref="InputPath"/> cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The file of <see cref="InputPath"/> is a directory, or reading it is not
    /// permitted.</exception>
    /// <exception cref="Win32Exception">The command cannot be executed, or its directory cannot be entered (if
    /// <see cref="UnavailableReason"/> is <see langword="null"/>, <see cref="RunningCommand.Wait"/> throws it).</exception>
    public RunningCommand Start(string program, params ReadOnlySpan<string> arguments) =>
        Start(MeasuredCommand.FromArguments(program, arguments));

    internal RunningCommand Start(MeasuredCommand command)
    {
        ArgumentNullException.ThrowIfNull(command);
        command = command with { InputPath = InputPath, WorkingDirectory = WorkingDirectory, Environment = Environment };
        (SpawnProgram? program, MeasurementUnavailableException? failure) = _spawn();
        if (program is null)
        {
            ReadOnlyDictionary<string, MeasurementUnavailableException> unavailable = Unavailable(failure!);
            ThrowIfNoIntervals(session: null, unavailable);
            return new RunningCommand(command, PlainCommand.Start(command), counters: null, unavailable);
        }

        HeldCommand held = HeldCommand.Start(program, command);
        PerfEventCounterSession? session = null;
        CommandThreads? threads = null;
        try
        {
            if (_counters is not null)
            {
                session = PerfEventCounterSession.Open(ForCommand(_counters, held.Id), PerfEventSources.System);
            }

            CommandIntervals? intervals = IntervalsOf(session);
            threads = ThreadInterval is { } interval ? new CommandThreads(held.Id, interval) : null;
            ProcessCreated?.Invoke(held.Id);
            held.Release();
            intervals?.Start();
            return new RunningCommand(command, held, session, session?.UnavailableCounters, threads, intervals);
        }
        catch
        {
            threads?.Dispose();
            session?.Dispose();
            held.Dispose();
            throw;
        }
    }

    /// <summary>Measures a running process until it ends, or until <see cref="RunningCommand.SendSignal"/> or
    /// <see cref="RunningCommand.Dispose"/> is called, which do not end the process.</summary>
    /// <exception cref="MeasurementUnavailableException">There is no such process, a required counter is unavailable, or the system is not
    /// Linux.</exception>
    internal RunningCommand Attach(MeasuredCommand command, int processId)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new MeasurementUnavailableException(
                "Measuring a running process requires Linux.", MeasurementUnavailableCause.NotSupported);
        }

        AttachedProcess process = AttachedProcess.Open(processId);
        PerfEventCounterSession? session = null;
        try
        {
            session = _counters is null
                ? null
                : PerfEventCounterSession.Open(_counters with { ProcessId = processId, Inherited = true }, PerfEventSources.System);
            CommandIntervals? intervals = IntervalsOf(session);
            intervals?.Start();
            return new RunningCommand(command, process, session, session?.UnavailableCounters, intervals: intervals);
        }
        catch
        {
            session?.Dispose();
            process.Dispose();
            throw;
        }
    }

    private CommandIntervals? IntervalsOf(PerfEventCounterSession? session)
    {
        ThrowIfNoIntervals(session, session?.UnavailableCounters);
        return Intervals is { } intervals ? new CommandIntervals(session!, intervals.Length, intervals.Report) : null;
    }

    private void ThrowIfNoIntervals(
        PerfEventCounterSession? session, IReadOnlyDictionary<string, MeasurementUnavailableException>? unavailable)
    {
        if (Intervals is not null && session is not { Counters.Count: > 0 })
        {
            MeasurementUnavailableException? first = unavailable?.Values.FirstOrDefault();
            throw new MeasurementUnavailableException(
                $"Intervals require a counter, but none is available: {first?.Message ?? "none was specified"}",
                first?.Cause ?? MeasurementUnavailableCause.Unknown,
                first?.ErrorNumber);
        }
    }

    internal static PerfEventSettings ForCommand(PerfEventSettings settings, int id) => settings with
    {
        ThreadId = id,
        Cpu = -1,
        ProcessId = null,
        Inherited = true,
        IsEnabled = false,
        StartsOnExec = true,
    };

    // Without picollo_spawn, counters cannot be opened before the command starts.
    private ReadOnlyDictionary<string, MeasurementUnavailableException> Unavailable(MeasurementUnavailableException failure)
    {
        if (_counters is { IsOptional: false })
        {
            throw Of(_counters.Counters[0].Name);
        }

        return new(new OrderedDictionary<string, MeasurementUnavailableException>(
            (_counters?.Counters ?? []).Select(spec => KeyValuePair.Create(spec.Name, Of(spec.Name)))));

        MeasurementUnavailableException Of(string counter) => new($"{counter}: {failure.Message}", failure.Cause, failure.ErrorNumber);
    }
}
