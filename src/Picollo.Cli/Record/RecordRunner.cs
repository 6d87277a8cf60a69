using Picollo.Diagnostics;
using Picollo.Profiling;

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
        Write(profile, terminal.Out);
        return interrupt.ExitCode ?? ExitCodes.Success;
    }

    private int RunCommand(MeasuredCommand command)
    {
        string folder = Directory.CreateTempSubdirectory("picollo-").FullName;
        CpuProfiler? profiler = null;
        try
        {
            // Also for the processes that the command starts. They write each method when it is compiled.
            var variables = new Dictionary<string, string>
            {
                ["DOTNET_PerfMapEnabled"] = "3",
                ["DOTNET_PerfMapJitDumpPath"] = folder,
            };
            var meter = new CommandMeter
            {
                Held = id => profiler = CpuProfiler.Start(
                    new ProfilerSettings(id, options.Profiler) { PerfMapFolder = folder, Command = command.Text }),
            };
            if (meter.UnavailableReason is { } reason)
            {
                throw new CommandException(reason);
            }

            using RunningCommand running = meter.Start(command.WithEnvironment(variables));
            CommandRun run = Wait(running);
            Write(profiler!.Stop(run.Usage.Cpu), terminal.Error);
            return run.ExitCode;
        }
        finally
        {
            profiler?.Dispose();
            TryDelete(folder);
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
            // what the command has left running still writes there
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

    private void Write(CpuProfile profile, TextWriter table)
    {
        profile.WriteTable(table);
        table.Flush();
        WriteText(options.HtmlPath, profile.WriteHtml);
        WriteText(options.SvgPath, profile.WriteSvg);
        WriteText(options.FoldedPath, profile.WriteFolded);
        WriteFile(options.PprofPath, profile.WritePprof);
        WriteText(options.JsonPath, profile.WriteJson);
    }

    private void WriteText(string? path, Action<TextWriter> write) =>
        WriteFile(path, stream => OutputFile.WriteText(stream, write));

    private void WriteFile(string? path, Action<Stream> write)
    {
        if (path is not null)
        {
            OutputFile.Write(path, write);
            terminal.ReportWritten(path);
        }
    }
}
