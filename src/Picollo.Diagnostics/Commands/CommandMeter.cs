using System.ComponentModel;
using Picollo.Diagnostics.Linux;
using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>
/// Runs commands and measures each run: time, CPU time, memory, page faults, context switches, and counters of the CPU and of the
/// kernel.
/// </summary>
/// <remarks>
/// <para>On Linux (x64, arm64) the command is held until its counters are open, and waited for, by a small program of its own: a
/// process begins with the memory mark of the one that it was forked from, and so a command that a .NET process starts shows at least
/// that process's size. The times are taken there too. Counters begin with the command's first instruction, and count all that it
/// starts.</para>
/// <para>Elsewhere a run is a <see cref="System.Diagnostics.Process"/>, and <see cref="UnavailableReason"/> says what is not known.</para>
/// <para>Standard input, output and error are this process's. Immutable and thread-safe; a run costs about a millisecond more than the
/// command.</para>
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
    private readonly Func<(SpawnProgram? Program, string? UnavailableReason)> _spawn;

    /// <summary>Creates a meter.</summary>
    /// <param name="counters">The counters; null for none. Targets are ignored; the command is always the target.</param>
    public CommandMeter(PerfEventCounterSessionFactory? counters = null)
        : this(counters, () => SpawnProgram.Current)
    {
    }

    internal CommandMeter(PerfEventCounterSessionFactory? counters, Func<(SpawnProgram? Program, string? UnavailableReason)> spawn)
    {
        _counters = counters is { Settings.Counters.Count: > 0 } ? counters.Settings : null;
        _spawn = spawn;
    }

    /// <summary>How often the command's threads are looked at; null, as by default, for never. A thread that lives for less is likely not
    /// to be seen. 1 ms at least; a look takes some 20 µs a thread. Linux. Set before the first run.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1 ms.</exception>
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

    /// <summary>How often the counters are read while a command runs, and what takes each interval, on a thread of its own; null, as by
    /// default, for at the end only. Set before the first run.</summary>
    internal (TimeSpan Length, Action<CommandInterval> Report)? Intervals { get; set; }

    /// <summary>Is called with the ID of each command's process before its first instruction; null, as by default, for nothing. Requires
    /// that <see cref="UnavailableReason"/> is null. Set before the first run.</summary>
    internal Action<int>? Held { get; set; }

    /// <summary>Null where all is known of a run; otherwise what is not known here, and why. Each run and each call checks again: the
    /// reason may pass, such as a lack of file descriptors.</summary>
    public string? UnavailableReason => _spawn().UnavailableReason;

    /// <summary>Runs a command to its end.</summary>
    /// <param name="program">The program's name or path. A name without a slash is looked for on the <c>PATH</c>.</param>
    /// <param name="arguments">Its arguments, passed on as they are.</param>
    /// <returns>How it ended and what it took.</returns>
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
    /// <param name="program">The program's name or path. A name without a slash is looked for on the <c>PATH</c>.</param>
    /// <param name="arguments">Its arguments, passed on as they are.</param>
    /// <returns>To be waited for, and disposed.</returns>
    /// <remarks>The command has this process's environment and current directory. It is in this process's group: Ctrl+C at the terminal
    /// reaches both. A pipeline is a line for a shell: <c>Start("/bin/sh", "-c", "sort words | uniq")</c>. On Linux text is
    /// passed as UTF-8, and a lone surrogate U+DC80 to U+DCFF as the byte 80 to FF. Variables that this process has not changed keep their
    /// bytes.</remarks>
    /// <exception cref="ArgumentException">The program's name is empty, or it or an argument contains a NUL character.</exception>
    /// <exception cref="ArgumentNullException">The program or an argument is null.</exception>
    /// <exception cref="MeasurementUnavailableException">A counter cannot be had that is not optional, or the system has no more
    /// processes or descriptors to give.</exception>
    /// <exception cref="Win32Exception">The command cannot be executed (if <see cref="UnavailableReason"/> is null,
    /// <see cref="RunningCommand.Wait"/> throws it).</exception>
    public RunningCommand Start(string program, params ReadOnlySpan<string> arguments) =>
        Start(MeasuredCommand.FromArguments(program, arguments));

    internal RunningCommand Start(MeasuredCommand command)
    {
        ArgumentNullException.ThrowIfNull(command);
        (SpawnProgram? program, string? reason) = _spawn();
        if (program is null)
        {
            UnavailablePerfCounter[] unavailable = Unavailable(reason);
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
            Held?.Invoke(held.Id);
            held.Release();
            intervals?.Start();
            return new RunningCommand(command, held, session, session?.UnavailableCounters ?? [], threads, intervals);
        }
        catch
        {
            threads?.Dispose();
            session?.Dispose();
            held.Dispose();
            throw;
        }
    }

    /// <summary>Measures a process that runs already, until it ends or <see cref="RunningCommand.Signal"/> or
    /// <see cref="RunningCommand.Dispose"/> is called, which leave it running.</summary>
    /// <exception cref="MeasurementUnavailableException">There is no such process, a counter cannot be had that is not optional, or this is
    /// not Linux.</exception>
    internal RunningCommand Attach(MeasuredCommand command, int processId)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new MeasurementUnavailableException("A process that runs already can be measured on Linux only.");
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
            return new RunningCommand(command, process, session, session?.UnavailableCounters ?? [], intervals: intervals);
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
        ThrowIfNoIntervals(session, session?.UnavailableCounters ?? []);
        return Intervals is { } intervals ? new CommandIntervals(session!, intervals.Length, intervals.Report) : null;
    }

    private void ThrowIfNoIntervals(PerfEventCounterSession? session, IReadOnlyList<UnavailablePerfCounter> unavailable)
    {
        if (Intervals is not null && session is not { Counters.Count: > 0 })
        {
            string reason = unavailable.Count > 0 ? unavailable[0].UnavailableReason : "none was named";
            throw new MeasurementUnavailableException($"Intervals are of counters, and none is available: {reason}");
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

    // Without picollo_spawn there is no moment at which counters could be opened.
    private UnavailablePerfCounter[] Unavailable(string? reason)
    {
        if (_counters is { IsOptional: false })
        {
            throw new MeasurementUnavailableException($"{_counters.Counters[0].Name}: {reason}");
        }

        return _counters is null
            ? []
            : [.. _counters.Counters.Select(spec => new UnavailablePerfCounter(spec.Name, $"{spec.Name}: {reason}"))];
    }
}
