using System.ComponentModel;
using Picollo.Cpu;
using Picollo.Interop.Linux;

namespace Picollo.Diagnostics;

/// <summary>A command that only <see cref="Process"/> measures, for systems without picollo_spawn. It reports the CPU time and the values
/// of <see cref="ResourceUsage.TryGetByChildren"/>, which include other children of this process that end during the run.</summary>
internal sealed class PlainCommand(Process process, ResourceUsage before, long start, Task copying) : ICommandProcess
{
    /// <summary>The time to copy the rest of the output after the command has exited. A background process that it started may keep the
    /// output open for longer.</summary>
    private static readonly TimeSpan OutputLimit = TimeSpan.FromSeconds(1);

    public int Id { get; } = process.Id;

    public static PlainCommand Start(MeasuredCommand command)
    {
        FileStream? input = command.InputPath is null ? null
            : new(command.InputPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        ProcessStartInfo info = new(command.ArgumentList[0], command.ArgumentList[1..])
        {
            RedirectStandardInput = input is not null,
            RedirectStandardOutput = command.OutputToError,
            WorkingDirectory = command.WorkingDirectory ?? "",
        };
        foreach ((string name, string? value) in command.Environment)
        {
            info.Environment[name] = value;
        }

        ResourceUsage.TryGetByChildren(out ResourceUsage before, out _);
        long start = Stopwatch.GetTimestamp();
        try
        {
            Process process = Process.Start(info)!;
            _ = input is null ? Task.CompletedTask : FeedAsync(input, process.StandardInput.BaseStream);
            Task copying = command.OutputToError
                ? process.StandardOutput.BaseStream.CopyToAsync(Console.OpenStandardError())
                : Task.CompletedTask;
            return new(process, before, start, copying);
        }
        catch (Win32Exception e)
        {
            input?.Dispose();
            throw command.StartFailed(e.NativeErrorCode == 0 ? Errno.EACCES : e.NativeErrorCode); // 0 for a directory
        }
    }

    public CommandEnd Wait()
    {
        process.WaitForExit();
        long elapsed = (long)Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        _ = copying.Wait(OutputLimit);

        // .NET reports a signal as a shell does, so it cannot be distinguished from an exit code with that number.
        return new(process.ExitCode, IsSignal: false, elapsed, Usage());
    }

    public void Signal(int signal)
    {
        try
        {
            if (OperatingSystem.IsWindows())
            {
                Kill();
            }
            else if (!process.HasExited)
            {
                _ = LibC.kill(Id, signal);
            }
        }
        catch (InvalidOperationException)
        {
            // Another thread has disposed the process, which has therefore ended.
        }
    }

    public void Kill()
    {
        if (!process.HasExited)
        {
            process.Kill(entireProcessTree: true);
        }
    }

    public void Dispose()
    {
        Kill();
        process.Dispose();
    }

    private static async Task FeedAsync(FileStream file, Stream input)
    {
        using (file)
        {
            try
            {
                await using (input.ConfigureAwait(false))
                {
                    await file.CopyToAsync(input).ConfigureAwait(false);
                }
            }
            catch (IOException)
            {
                // The command has closed its input.
            }
        }
    }

    private ResourceUsage Usage() =>
        OperatingSystem.IsWindows()
            ? new() { Cpu = new CpuUsage(Nanoseconds(process.UserProcessorTime), Nanoseconds(process.PrivilegedProcessorTime)) }
            : ResourceUsage.TryGetByChildren(out ResourceUsage after, out _) ? (after - before) with { MaxResidentBytes = 0 }
            : default;

    private static long Nanoseconds(TimeSpan time) => time.Ticks * TimeSpan.NanosecondsPerTick;
}
