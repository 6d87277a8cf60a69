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
        using CancellationTokenRegistration onInterrupt = interrupt.Token.Register(() => attached.SendSignal(Signals.Interrupt));
        using Timer onDuration = new(
            _ => attached.SendSignal(Signals.Interrupt), null, options.Duration ?? Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
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
            var variables = new Dictionary<string, string?>
            {
                ["DOTNET_PerfMapEnabled"] = "3",
                ["DOTNET_PerfMapJitDumpPath"] = folder,
            };
            var meter = new CommandMeter
            {
                Environment = variables,
                ProcessCreated = id => profiler = CpuProfiler.Start(
                    new ProfilerSettings(id, options.Profiler) { PerfMapFolder = folder, Command = command.Text }),
            };
            if (meter.UnavailableReason is { } reason)
            {
                throw new CommandException(reason);
            }

            using RunningCommand running = meter.Start(command);
            CommandRun run = new CommandSignals(interrupt).Wait(running, isInOwnGroup: false);
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

internal static class RecordFiles
{
    public static Action<Stream> Text(Action<TextWriter> write) => stream => OutputFile.WriteText(stream, write);

    /// <summary>Writes the files, and then the table, whose reader may have closed the pipe. Continues with the next file if one cannot be
    /// written.</summary>
    public static int Write(
        Terminal terminal,
        (string? Path, Action<Stream> Write)[] files,
        Action<TextWriter> writeTable,
        TextWriter table,
        int exitCode)
    {
        string?[] problems = [.. files.Select(file => file.Path is null ? null : TryWrite(file.Path, file.Write))];
        writeTable(table);
        table.Flush();
        foreach ((string? path, string? problem) in files.Select(file => file.Path).Zip(problems))
        {
            if (problem is null)
            {
                terminal.ReportWritten(path);
            }
            else
            {
                terminal.Error.WriteLine(ForeignText.Clean($"picollo: {problem}"));
            }
        }

        return Array.TrueForAll(problems, problem => problem is null) ? exitCode : ExitCodes.Failure;
    }

    private static string? TryWrite(string path, Action<Stream> write)
    {
        try
        {
            OutputFile.Write(path, write);
            return null;
        }
        catch (CommandException e)
        {
            return e.Message;
        }
    }
}
