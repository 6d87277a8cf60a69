using Picollo.Cli.Shell;
using Picollo.Diagnostics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>Runs what is to be measured, and reports it.</summary>
internal static class StatRunner
{
    private const int OwnFailure = 125;
    private const int NotExecutable = 126;
    private const int NotFound = 127;

    /// <summary>What perf shows unasked, but for the stalled cycles, which few CPUs count.</summary>
    private const string UsualEvents = "task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";

    private static readonly TimeSpan ThreadInterval = TimeSpan.FromMilliseconds(10);

    /// <summary>Runs that are done sooner need no word on how far it is.</summary>
    private static readonly TimeSpan LongRun = TimeSpan.FromSeconds(0.5);

    /// <summary>Ctrl+C goes to the command, too, which may have ended before this process has taken note.</summary>
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
        catch (CommandStartException e)
        {
            throw new CommandException(e.Message, e.IsNotFound ? NotFound : NotExecutable);
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
            FileProblem.ThrowIfEmpty(path);
            return new StreamWriter(path) { NewLine = "\n" };
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"{path}: {FileProblem.Of(e)}", OwnFailure);
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
        CommandRun? interrupted = null;
        for (int run = 0; run < options.Runs && interrupted is null; run++)
        {
            for (int i = 0; i < series.Length && interrupted is null && !interrupt.Token.IsCancellationRequested; i++)
            {
                ShowProgress(terminal, options, run, series[0].Runs);
                CommandRun measured = Run(meter, options.Commands[i], signals);
                bool isInterrupted = Interrupt.IsExitCode(measured.ExitCode)
                    ? interrupt.Token.WaitHandle.WaitOne(SignalDelay)
                    : interrupt.Token.IsCancellationRequested;
                if (isInterrupted && options.Runs * series.Length > 1)
                {
                    interrupted = measured; // cut short: it is not like the others
                    continue;
                }

                series[i].Add(measured);
                report.Add(i, measured);
            }
        }

        HideProgress(terminal, options, series[0].Runs);
        report.End(series, [meter.UnavailableReason, userOnly], isInterrupted: interrupt.Token.IsCancellationRequested);
        return interrupt.ExitCode ?? series.SelectMany(each => each.Runs).Select(run => run.ExitCode).FirstOrDefault(code => code != 0);
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

    /// <summary>User and kernel together, as far as this user may; and if not, a word on it.</summary>
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

    private static void ShowProgress(Terminal terminal, StatOptions options, int run, IReadOnlyList<CommandRun> done)
    {
        if (IsProgressShown(terminal, options, done))
        {
            terminal.Error.Write($"\rrun {run + 1}/{options.Runs} ");
        }
    }

    private static void HideProgress(Terminal terminal, StatOptions options, IReadOnlyList<CommandRun> done)
    {
        if (IsProgressShown(terminal, options, done))
        {
            terminal.Error.Write("\r\e[K");
        }
    }

    private static bool IsProgressShown(Terminal terminal, StatOptions options, IReadOnlyList<CommandRun> done) =>
        !terminal.ErrorIsPlain && options.Runs > 1 && done.Count > 0 && done[0].Elapsed > LongRun;
}
