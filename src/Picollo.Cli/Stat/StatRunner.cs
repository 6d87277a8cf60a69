using Picollo.Diagnostics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>Runs the commands, measures them, and reports the results.</summary>
internal static class StatRunner
{
    private const int OwnFailure = 125;

    /// <summary>The default events of perf stat, without the stalled cycles, which few CPUs count.</summary>
    private const string UsualEvents = "task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";

    private static readonly TimeSpan ThreadInterval = TimeSpan.FromMilliseconds(10);

    /// <summary>Progress is shown if the first run takes longer.</summary>
    private static readonly TimeSpan LongRun = TimeSpan.FromSeconds(0.5);

    /// <summary>Ctrl+C goes to the command, too, which may end before this process has handled the signal.</summary>
    private static readonly TimeSpan SignalDelay = TimeSpan.FromMilliseconds(100);

    public static int Run(Terminal terminal, StatOptions options)
    {
        try
        {
            using TextWriter? file = options.OutputPath is { } path ? Create(path) : null;
            TextWriter writer = file ?? (options.IsJson ? terminal.Out : terminal.Error);
            int exitCode = Run(terminal, writer, options);
            writer.Flush();
            return exitCode;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or MeasurementUnavailableException)
        {
            throw new CommandException(e.Message, OwnFailure);
        }
    }

    private static StreamWriter Create(string path)
    {
        try
        {
            CommandException.ThrowIfEmpty(path);
            return new StreamWriter(path) { NewLine = "\n" };
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw CommandException.OfFile(path, e, OwnFailure);
        }
    }

    private static int Run(Terminal terminal, TextWriter writer, StatOptions options)
    {
        (PerfEventCounterSessionFactory counters, string? userOnly) = Counters(options.Events ?? UsualEvents);
        CommandMeter meter = new(counters) { ThreadInterval = options.PerThread ? ThreadInterval : null };
        CommandSeries[] series = [.. options.Commands.Select(_ => new CommandSeries())];
        StatReport report = options.IsJson ? new StatJson(writer, options) : new StatText(writer, options);

        using Interrupt interrupt = new();
        StatSignals signals = new(interrupt);
        bool isCutShort = false;
        for (int run = 0; run < options.Runs && !isCutShort; run++)
        {
            for (int i = 0; i < series.Length && !isCutShort && !interrupt.Token.IsCancellationRequested; i++)
            {
                ShowProgress($"run {run + 1}/{options.Runs} ");
                CommandRun measured = Run(meter, options.Commands[i], signals);
                bool isInterrupted = Interrupt.IsExitCode(measured.ExitCode)
                    ? interrupt.Token.WaitHandle.WaitOne(SignalDelay)
                    : interrupt.Token.IsCancellationRequested;
                isCutShort = isInterrupted && options.Runs * series.Length > 1;
                if (!isCutShort)
                {
                    series[i].Add(measured);
                    report.Add(i, measured);
                }
            }
        }

        ShowProgress("\e[K");
        report.End(series, [meter.UnavailableReason, userOnly], isInterrupted: interrupt.Token.IsCancellationRequested);
        return interrupt.ExitCode ?? series.SelectMany(each => each.Runs).Select(run => run.ExitCode).FirstOrDefault(code => code != 0);

        void ShowProgress(string text)
        {
            if (!terminal.ErrorIsPlain && options.Runs > 1 && series[0].Runs is [{ } first, ..] && first.Elapsed > LongRun)
            {
                terminal.Error.Write($"\r{text}");
            }
        }
    }

    private static CommandRun Run(CommandMeter meter, MeasuredCommand command, StatSignals signals)
    {
        using RunningCommand running = meter.Start(command);
        signals.Attach(running, command);
        try
        {
            return running.Wait();
        }
        finally
        {
            signals.Detach();
        }
    }

    /// <summary>Counters of user and kernel code, or of user code only and the reason.</summary>
    private static (PerfEventCounterSessionFactory Counters, string? UserOnly) Counters(string events)
    {
        PerfEventCounterSessionFactory counters = PerfEventCounterSession.Factory.WithPerfEvents(events).WithOptional();
        PerfEventCounterSessionFactory probe = PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.TaskClock);
        if (!OperatingSystem.IsLinux() || !probe.TryCreate(out PerfEventCounterSession? user, out _))
        {
            return (counters, null); // nothing can be counted at all; each counter says why
        }

        user.Dispose();
        if (probe.WithKernel(true).TryCreate(out PerfEventCounterSession? kernel, out string? reason))
        {
            kernel.Dispose();
            return (counters.WithKernel(true), null);
        }

        return (counters, $"counted in user code only: {reason}");
    }
}

/// <summary>Writes the results.</summary>
internal abstract class StatReport
{
    /// <summary>Writes a run of a command when it has ended.</summary>
    /// <param name="command">The command's number, 0 or 1.</param>
    public virtual void Add(int command, CommandRun run)
    {
    }

    /// <summary>Writes the summary.</summary>
    /// <param name="notes">What is not available here, and why; null entries are ignored.</param>
    /// <param name="isInterrupted">Whether there are fewer runs than requested, or the only one was cut short.</param>
    public abstract void End(IReadOnlyList<CommandSeries> series, IEnumerable<string?> notes, bool isInterrupted);
}
