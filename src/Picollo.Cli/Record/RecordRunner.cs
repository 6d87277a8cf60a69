using Picollo.Diagnostics;
using Picollo.Profiling;
using Picollo.Profiling.Sampling;

namespace Picollo.Cli.Record;

/// <summary>Profiles a process or a command, prints the table of functions and writes the files.</summary>
internal sealed class RecordRunner(Terminal terminal, RecordOptions options, Interrupt interrupt)
{
    public static int Run(Terminal terminal, RecordOptions options)
    {
        using Interrupt interrupt = new();
        var runner = new RecordRunner(terminal, options, interrupt);
        return options.Command is { } command ? runner.RunCommand(command) : runner.RunAttached();
    }

    private int RunAttached()
    {
        int process = options.Profiler.ProcessId!.Value;
        var meter = new CommandMeter();
        using RunningCommand attached = meter.Attach(MeasuredCommand.OfProcess(process), process);
        using CpuProfiler profiler = CpuProfiler.Start(options.Profiler);
        using CancellationTokenRegistration onInterrupt = interrupt.Token.Register(() => attached.Signal(Signals.Interrupt));
        using Timer onDuration = new(
            _ => attached.Signal(Signals.Interrupt), null, options.Duration ?? Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        attached.Wait();
        CpuProfile profile = profiler.Stop();
        terminal.LeaveInterruptLine(interrupt);
        return Write(profile, terminal.Out, interrupt.ExitCode ?? ExitCodes.Success);
    }

    private int RunCommand(MeasuredCommand command)
    {
        string folder = CreateFolder();
        CpuProfiler? profiler = null;
        try
        {
            // Child processes inherit the variables. Each process writes the name of a method when it is compiled.
            var variables = new Dictionary<string, string>
            {
                ["DOTNET_PerfMapEnabled"] = "3",
                ["DOTNET_PerfMapJitDumpPath"] = folder,
            };
            var meter = new CommandMeter
            {
                ProcessCreated = id => profiler = CpuProfiler.Start(
                    new ProfilerSettings(id, options.Profiler) { PerfMapFolder = folder, Command = command.Text }),
            };
            if (meter.UnavailableReason is { } reason)
            {
                throw new CommandException(reason);
            }

            using RunningCommand running = meter.Start(command.WithEnvironment(variables));
            CommandRun run = Wait(running);
            return Write(profiler!.Stop(run.Usage.Cpu), terminal.ErrorResults, run.ExitCode);
        }
        finally
        {
            profiler?.Dispose();
            TryDelete(folder);
        }
    }

    private static string CreateFolder()
    {
        try
        {
            return Directory.CreateTempSubdirectory("picollo-").FullName;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(
                $"{Path.GetTempPath()}: {CommandException.FileProblemOf(e)}; the command writes its method names to a temporary directory: "
                + "set TMPDIR to a writable directory");
        }
    }

    private static void TryDelete(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The command has removed the folder, or a process that it started still writes to it.
        }
    }

    private CommandRun Wait(RunningCommand running)
    {
        var signals = new CommandSignals(interrupt);
        signals.Attach(running, isInOwnGroup: false);
        try
        {
            return running.Wait();
        }
        finally
        {
            signals.Detach();
        }
    }

    private int Write(CpuProfile profile, TextWriter table, int exitCode) => RecordFiles.Write(
        terminal,
        [
            (options.HtmlPath, RecordFiles.Text(profile.WriteHtml)),
            (options.SvgPath, RecordFiles.Text(profile.WriteSvg)),
            (options.FoldedPath, RecordFiles.Text(profile.WriteFolded)),
            (options.PprofPath, profile.WritePprof),
            (options.JsonPath, RecordFiles.Text(profile.WriteJson)),
        ],
        output => profile.WriteTable(output),
        table,
        exitCode);
}
