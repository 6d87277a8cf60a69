using System.ComponentModel;
using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>Runs a measurement, shows it, and saves the results even if it fails.</summary>
internal sealed class JitterRunner
{
    /// <summary>The time between updates. Each update takes CPU time of a measured CPU.</summary>
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    private readonly Terminal _terminal;
    private readonly JitterOptions _options;
    private readonly bool _isUnlimited;
    private readonly bool _isLive;
    private readonly bool _isInPlace;
    private readonly JitterReport _report;
    private readonly List<string> _problems = []; // file errors, which are reported at the end
    private int _reportedReasons;
    private string? _reportedProblem;
    private bool _isLoadOver;

    private JitterRunner(Terminal terminal, JitterOptions options)
    {
        (_terminal, _options) = (terminal, options);
        _isUnlimited = options.Meter is { Duration: null, Loops: null };
        _isLive = options.IsLive || (_isUnlimited && !options.IsJson && !terminal.OutIsPlain);
        _isInPlace = _isLive && !terminal.OutIsPlain;
        _report = options.IsJson
            ? new JitterJson(terminal.Out, options.IsLive)
            : new JitterText(terminal.Out, terminal.Error, options.InNanoseconds, () => _isInPlace ? Terminal.WindowSize : null);
    }

    public static int Run(Terminal terminal, JitterOptions options) => OperatingSystem.IsLinux()
        ? new JitterRunner(terminal, options).Run()
        : throw new CommandException("picollo jitter is only supported on Linux");

    private int Run()
    {
        using Interrupt interrupt = new();
        using ResultFolder? folder = _options.Folder is { } path ? ResultFolder.Open(path) : null;
        if (folder is not null)
        {
            if (!_options.IsForced && File.Exists(Path.Combine(_options.Folder!, ResultFiles.Json)))
            {
                throw new CommandException($"{_options.Folder}: the directory already contains results; use --force to overwrite them");
            }

            folder.Remove(JitterPlotCommand.Page); // plots of the previous results
            folder.Remove(JitterPlotCommand.SamplesPlot);
            Try(() => SystemFiles.Save(folder));
        }

        using SampleFile? samples = _options.WithSamples
            ? new(folder!.Create(SampleFile.Name), _options.Meter.Interval, _options.InNanoseconds)
            : null;
        JitterResult result = Measure(folder, samples, interrupt);
        if (!_isInPlace)
        {
            _terminal.LeaveInterruptLine(interrupt);
        }

        Report(samples);
        _report.End(result);
        if (result.Total.Status.Lost is > 0 and var lost)
        {
            _report.Note(Invariant(
                $"{lost:N0} wake-ups are missing from the results, because this process got too little CPU time to count them"));
        }

        _problems.ForEach(_report.Note);
        if (folder is not null)
        {
            _terminal.Error.WriteWrapped(ForeignText.Clean($"wrote {folder}"));
        }

        return _problems.Count > 0 || samples?.Problem is not null ? ExitCodes.Failure : interrupt.ExitCode ?? ExitCodes.Success;
    }

    private JitterResult Measure(ResultFolder? folder, SampleFile? samples, Interrupt interrupt)
    {
        using BackgroundLoad? load = _options.Load is { } command ? new(command) : null;
        _options.Meter.Samples = samples is null ? null : samples.Add;
        using JitterMeter meter = JitterMeter.Start(_options.Meter);
        long start = Stopwatch.GetTimestamp();
        JitterResult result;
        try
        {
            Watch(meter, load, samples, start, interrupt.Token);
        }
        finally
        {
            // Save the measurements even after a closed pipe.
            meter.Stop();
            TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
            load?.Dispose();
            samples?.Complete();
            result = new JitterResult
            {
                Options = _options,
                StartTime = meter.StartTime,
                Elapsed = elapsed,
                Cpus = CpuResult.Read(meter),
                Break = meter.Break,
                Priority = meter.Priority,
                UnavailableReasons = meter.UnavailableReasons,
                IsInterrupted = interrupt.Token.IsCancellationRequested,
            };
            if (folder is not null)
            {
                Try(() => ResultFiles.Save(folder, result));
            }
        }

        return result;
    }

    private void Watch(JitterMeter meter, BackgroundLoad? load, SampleFile? samples, long start, CancellationToken token)
    {
        if (_isUnlimited && !Console.IsErrorRedirected)
        {
            _terminal.Error.WriteLine("picollo: measuring until Ctrl+C");
        }

        _report.Begin(CpuResult.Read(meter));
        Report(meter);
        bool hasEnded = false;
        while (!hasEnded)
        {
            if (_isLive)
            {
                _report.Add(CpuResult.Read(meter), Stopwatch.GetElapsedTime(start));
            }

            hasEnded = HasEnded(meter, token);
            Report(meter);
            Report(load);
            Report(samples);
        }
    }

    // Reasons can be added later, for example when a CPU goes offline.
    private void Report(JitterMeter meter)
    {
        for (IReadOnlyList<string> reasons = meter.UnavailableReasons; _reportedReasons < reasons.Count; _reportedReasons++)
        {
            _report.Note(reasons[_reportedReasons]);
        }
    }

    private static bool HasEnded(JitterMeter meter, CancellationToken token)
    {
        try
        {
            if (Task.WaitAny([meter.Completion], (int)Period.TotalMilliseconds, token) < 0)
            {
                return false;
            }
        }
        catch (OperationCanceledException)
        {
            return true;
        }

        meter.Completion.GetAwaiter().GetResult(); // throws if the measurement failed
        return true;
    }

    private void Report(BackgroundLoad? load)
    {
        if (load?.End is { } end && !_isLoadOver)
        {
            _isLoadOver = true;
            string how = end.TerminationSignal is { } signal ? $"was terminated by signal {signal}" : $"exited with code {end.ExitCode}";
            _report.Note(Invariant($"the load {how} after {end.Elapsed.TotalSeconds:0.0} s; the measurement continues without it"));
        }
    }

    private void Report(SampleFile? samples)
    {
        if (samples?.Problem is { } reason && reason != _reportedProblem)
        {
            _reportedProblem = reason;
            _report.Note(reason);
        }
    }

    /// <summary>Writes a file. If that fails, the measurement continues.</summary>
    private void Try(Action write)
    {
        try
        {
            write();
        }
        catch (CommandException e)
        {
            _problems.Add(e.Message);
        }
    }
}

/// <summary>Shows a measurement while it runs and when it ends.</summary>
internal abstract class JitterReport
{
    public virtual void Begin(IReadOnlyList<CpuResult> cpus)
    {
    }

    /// <param name="cpus">The CPUs, in the same order in each call.</param>
    public abstract void Add(IReadOnlyList<CpuResult> cpus, TimeSpan elapsed);

    public abstract void Note(string text);

    public abstract void End(JitterResult result);
}

/// <summary>A command that runs during the measurement, in its own process group.</summary>
internal sealed class BackgroundLoad : IDisposable
{
    private static readonly TimeSpan GracePeriod = TimeSpan.FromSeconds(1);

    private readonly RunningCommand _running;
    private readonly Task<CommandRun> _end;

    public BackgroundLoad(MeasuredCommand command)
    {
        _running = new CommandMeter().Start(command);
        _end = Task.Factory.StartNew(_running.Wait, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>The result of the command; null while it runs.</summary>
    /// <exception cref="Win32Exception">The command could not be executed.</exception>
    public CommandRun? End => _end.IsCompleted ? _end.GetAwaiter().GetResult() : null;

    /// <summary>Terminates all processes of the command's process group with SIGTERM, and with SIGKILL a second later.</summary>
    public void Dispose()
    {
        if (!_end.IsCompleted)
        {
            _running.SendSignal(Signals.Terminate);
            _running.SendSignal(Signals.Continue); // otherwise a stopped process would not receive SIGTERM
            if (Task.WaitAny([_end], GracePeriod) < 0)
            {
                _running.SendSignal(Signals.Kill);
                Task.WaitAny(_end);
            }
        }

        _running.Dispose();
    }
}
