using System.ComponentModel;
using Picollo.Diagnostics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

internal sealed class StatRunner : IDisposable
{
    private const int ToolFailure = 125;

    /// <summary>The default events that <see cref="CommandQuantity.All"/> does not include.</summary>
    private const string DefaultEvents = "cpu-migrations,cycles,instructions,branches,branch-misses";

    /// <summary>Additional default events if only counters are available. Together, these are the default events of perf stat, without the
    /// stalled cycles, which few CPUs count.</summary>
    private const string SoftwareEvents = "task-clock,context-switches,page-faults";

    private static readonly TimeSpan ThreadInterval = TimeSpan.FromMilliseconds(10);

    private static readonly TimeSpan ProgressDelay = TimeSpan.FromSeconds(0.5);

    /// <summary>The time to wait for a signal: the command also receives Ctrl+C, and may end before this process has handled the
    /// signal.</summary>
    private static readonly TimeSpan SignalDelay = TimeSpan.FromMilliseconds(100);

    private readonly Terminal _terminal;
    private readonly StatOptions _options;
    private readonly Interrupt _interrupt = new();
    private readonly CommandSignals _signals;
    private readonly RunInput _input;
    private readonly CommandMeter _plain;
    private readonly CommandMeter _preparing;
    private readonly List<CommandRun> _warmups = [];
    private readonly long _start = Stopwatch.GetTimestamp();

    private StatRunner(Terminal terminal, StatOptions options)
    {
        (_terminal, _options) = (terminal, options);
        _signals = new CommandSignals(_interrupt);
        _input = new RunInput(options);
        _plain = new CommandMeter { InputPath = _input.Path };
        _preparing = new CommandMeter { InputPath = _input.PreparationPath };
    }

    private bool IsInterrupted => _interrupt.Token.IsCancellationRequested;

    public static int Run(Terminal terminal, StatOptions options)
    {
        bool hasBaseline = options.BaselinePath is not null;
        int failure = hasBaseline || options.ProcessId is not null || options.Interval is not null ? ExitCodes.Failure : ToolFailure;
        try
        {
            if (options.InputPath is { } input)
            {
                RunInput.Check(input);
            }

            Baseline? baseline = options.BaselinePath is { } path ? ReadBaseline(path, options) : null;
            using TextWriter? file = options.OutputPath is { } output
                ? CommandException.OnFile(output, () => new StreamWriter(output) { NewLine = "\n" })
                : null;
            TextWriter writer = file ?? (options.IsJson ? terminal.Out : terminal.ErrorResults);
            using StatRunner runner = new(terminal, options);
            int exitCode = runner.Run(writer, baseline);
            writer.Flush();
            terminal.ReportWritten(options.OutputPath);
            return exitCode;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or MeasurementUnavailableException or CommandException)
        {
            throw new CommandException(e.Message, failure);
        }
        catch (Win32Exception e) when (hasBaseline)
        {
            throw new CommandException(e.Message, failure);
        }
    }

    public void Dispose() => _interrupt.Dispose();

    private static Baseline ReadBaseline(string path, StatOptions options)
    {
        Baseline baseline = Baseline.Read(path);
        return baseline.Series[Gate.Measure] is not { } elapsed
                ? throw new CommandException($"{path}: the baseline contains no elapsed times")
            : options.Limit is not null && elapsed.Values.Count < 2 ? throw new CommandException(
                $"{path}: the baseline has a single run; save it with several runs (-r) to estimate the variance")
            : baseline;
    }

    private int Run(TextWriter writer, Baseline? baseline)
    {
        StatReport report = _options.IsJson ? new StatJson(writer, _options) : new StatText(writer, _options);
        CounterNotes notes = new(isVerbose: _options.IsVerbose || _options.IsJson);
        CommandMeter meter = Meter(report, notes);
        CommandSeries[] series = [.. _options.Commands.Select(_ => new CommandSeries())];
        int meanwhile = Measure(meter, series, report);

        CommandRun[] runs = [.. series.SelectMany(command => command.Runs)];
        bool isComplete = runs.Length == _options.Runs * series.Length && _warmups.Concat(runs).All(run => run.ExitCode == 0);
        Gate? gate = baseline is null || runs.Length == 0 ? null
            : new(SampleStatistics.ChangeOf(baseline.Series[Gate.Measure]!.Values, series[0][Gate.Measure]!.Values), _options.Limit);
        Machine machine = Machine.Read();
        report.End(new StatResult(series, IsInterrupted)
        {
            Baseline = baseline,
            Gate = isComplete ? gate : null,
            Notes =
            [
                .. notes.Describe(runs.FirstOrDefault()),
                .. Texts([_options.ProcessId is null ? meter.UnavailableReason : null, _input.Note]),
                .. Texts([StatReport.FailuresOf(_warmups, "warm-up runs")]),
                .. Texts(BaselineNotes(baseline, machine)),
            ],
        });

        if (_options.MarkdownPath is { } markdown && runs.Length > 0)
        {
            OutputFile.WriteText(markdown, file => StatMarkdown.Write(file, _options.Commands, series, baseline));
            _terminal.ReportWritten(markdown);
        }

        bool isCrossed = isComplete && gate?.IsCrossed == true;
        Save(series[0], machine, isComplete, isCrossed);
        return _interrupt.ExitCode
            ?? (baseline is not null ? !isComplete ? ExitCodes.Failure : isCrossed ? Gate.CrossedExitCode : ExitCodes.Success
                : _warmups.Concat(runs).Select(run => run.ExitCode).Append(meanwhile).FirstOrDefault(code => code != 0));
    }

    private CommandMeter Meter(StatReport report, CounterNotes notes)
    {
        bool hasOnlyCounters = _options.ProcessId is not null || _options.Interval is not null;
        string events = _options.Events ?? (hasOnlyCounters ? $"{SoftwareEvents},{DefaultEvents}" : DefaultEvents);
        return new(PerfEventCounterSession.Factory.WithPerfEvents(events).WithOptional().WithKernel(notes.CountsKernel))
        {
            InputPath = _input.Path,
            ThreadInterval = _options.PerThread ? ThreadInterval : null,
            Intervals = _options.Interval is { } interval ? (interval, report.Add) : null,
        };
    }

    /// <summary>Runs the commands alternately. Returns the exit code of <see cref="StatOptions.ConcurrentCommand"/>.</summary>
    private int Measure(CommandMeter meter, CommandSeries[] series, StatReport report)
    {
        if (_options.ProcessId is { } id)
        {
            using RunningCommand attached = meter.Attach(_options.Commands[0], id);
            using RunningCommand? command = _options.ConcurrentCommand is { } meanwhile ? _plain.Start(meanwhile) : null;
            CommandRun measured = WaitWithCommand(attached, command, out int exitCode);
            series[0].Add(measured);
            report.Add(0, measured);
            return exitCode;
        }

        int total = _options.TotalRuns;
        for (int done = 0; done < total && !IsInterrupted; done++)
        {
            (int run, int command) = (done / series.Length, done % series.Length);
            ShowProgress(done, total);
            if (_options.Preparation is { } preparation && RunOnce(_preparing, preparation) is { ExitCode: not 0 } failed && !IsInterrupted)
            {
                throw new CommandException(Invariant($"the command of --prepare exited with code {failed.ExitCode}"));
            }

            if (IsInterrupted)
            {
                break;
            }

            bool isWarmup = run < _options.Warmups;
            _input.Rewind();
            CommandRun measured = RunOnce(isWarmup ? _plain : meter, _options.Commands[command]);
            bool isInterrupted = Interrupt.IsExitCode(measured.ExitCode)
                ? _interrupt.Token.WaitHandle.WaitOne(SignalDelay)
                : IsInterrupted;
            if (isInterrupted && total > 1)
            {
                break; // the run is incomplete
            }

            if (isWarmup)
            {
                _warmups.Add(measured);
            }
            else
            {
                series[command].Add(measured);
                report.Add(command, measured);
            }
        }

        ClearProgress(total);
        return 0;
    }

    private CommandRun RunOnce(CommandMeter meter, MeasuredCommand command)
    {
        using RunningCommand running = meter.Start(command);
        return _signals.Wait(running, isInOwnGroup: command.IsText);
    }

    /// <summary>Measures a process until the process or the command exits, or the user interrupts.</summary>
    private CommandRun WaitWithCommand(RunningCommand attached, RunningCommand? command, out int exitCode)
    {
        Task<CommandRun>? waiting = command?.WaitAsync();
        waiting?.ContinueWith(_ => attached.SendSignal(Signals.Terminate), TaskScheduler.Default);
        CommandRun measured = _signals.Wait(attached, isInOwnGroup: true);
        exitCode = waiting is { IsCompleted: true } ? waiting.GetAwaiter().GetResult().ExitCode : 0;
        return measured;
    }

    private void ShowProgress(int done, int total)
    {
        TimeSpan elapsed = Stopwatch.GetElapsedTime(_start);
        if (!_terminal.ErrorIsPlain && done > 0 && elapsed > ProgressDelay)
        {
            TimeSpan left = elapsed / done * (total - done);
            _terminal.Error.Write(Invariant($"\rrun {done + 1}/{total}, {(int)left.TotalMinutes}:{left.Seconds:00} left\e[K"));
        }
    }

    private void ClearProgress(int total)
    {
        if (!_terminal.ErrorIsPlain && total > 1 && Stopwatch.GetElapsedTime(_start) > ProgressDelay)
        {
            _terminal.Error.Write("\r\e[K");
        }
    }

    private IEnumerable<string?> BaselineNotes(Baseline? baseline, Machine machine) => baseline is null ? [] :
    [
        baseline.Machine == machine ? null : $"the baseline was saved on a different machine: {baseline.Machine}; this machine: {machine}",
        baseline.Command == _options.Commands[0].Text ? null : $"the baseline was saved for a different command: {baseline.Command}",
    ];

    private static IEnumerable<string> Texts(IEnumerable<string?> texts) => texts.OfType<string>();

    private void Save(CommandSeries series, Machine machine, bool isComplete, bool isCrossed)
    {
        if (_options.SavePath is not { } path)
        {
            return;
        }

        if (!isComplete || isCrossed)
        {
            string reason = isCrossed ? "the limit is exceeded" : "not all runs succeeded";
            _terminal.Error.WriteLine(ForeignText.Clean($"baseline not saved to {path}: {reason}"));
            return;
        }

        new Baseline(_options.Commands[0].Text, machine, series).Write(path);
        _terminal.ReportWritten(path);
    }
}

/// <param name="IsInterrupted">Whether the user interrupted, so that runs are missing or the only one is incomplete.</param>
internal sealed record StatResult(IReadOnlyList<CommandSeries> Series, bool IsInterrupted)
{
    public IReadOnlyList<string> Notes { get; init; } = [];

    public Baseline? Baseline { get; init; }

    /// <summary>The comparison with the baseline; null if there is no baseline, or if not all runs succeeded.</summary>
    public Gate? Gate { get; init; }
}

internal abstract class StatReport
{
    private long _intervalEnd;

    /// <summary>Writes a completed run of a command.</summary>
    /// <param name="command">The zero-based index of the command.</param>
    public virtual void Add(int command, CommandRun run)
    {
    }

    public void Add(long endNanoseconds, IReadOnlyList<CommandCounter> counters)
    {
        AddInterval(endNanoseconds, new CommandRun
        {
            ElapsedNanoseconds = endNanoseconds - _intervalEnd,
            Counters = counters,
        });
        _intervalEnd = endNanoseconds;
    }

    public abstract void End(StatResult result);

    /// <summary>Describes the failures among several runs. Returns null if there are none.</summary>
    /// <param name="name">The name of the runs, in the plural.</param>
    public static string? FailuresOf(IReadOnlyCollection<CommandRun> runs, string name)
    {
        CommandRun[] failed = [.. runs.Where(run => run.ExitCode != 0)];
        return failed.Length == 0 ? null : Invariant($"{failed.Length} of {runs.Count} {name} failed; the first {Ending(failed[0])}");
    }

    protected static string Ending(CommandRun run) => run.TerminationSignal is { } signal
        ? Invariant($"was terminated by signal {signal}")
        : Invariant($"exited with code {run.ExitCode}");

    /// <param name="endNanoseconds">The end of the interval, in nanoseconds since the start.</param>
    protected abstract void AddInterval(long endNanoseconds, CommandRun run);
}
