using System.Runtime.Versioning;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Diagnostics.Commands.Linux;

/// <summary>A running process that is measured. Any signal ends the measurement, not the process.</summary>
internal sealed class AttachedProcess : ICommandProcess
{
    /// <summary>The time between two reads of the process. It is short because a zombie no longer has memory, and a reaped process has no
    /// data at all.</summary>
    private static readonly TimeSpan ReadInterval = TimeSpan.FromMilliseconds(10);

    private readonly LinuxProcess _process;
    private readonly ManualResetEventSlim _stopped = new();
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly CpuUsage _before;
    private CpuUsage _now;
    private long _maxResident;

    private AttachedProcess(int id, LinuxProcess process)
    {
        (Id, _process) = (id, process);
        ReadUsage();
        _before = _now;
    }

    public int Id { get; }

    /// <exception cref="MeasurementUnavailableException">There is no such process, or it cannot be opened.</exception>
    [SupportedOSPlatform("linux")]
    public static AttachedProcess Open(int id) =>
        LinuxProcess.TryOpen(id, startNanoseconds: null, out LinuxProcess? process, out MeasurementUnavailableException? failure)
            ? new AttachedProcess(id, process)
            : throw failure;

    public void Signal(int signal) => _stopped.Set();

    public void Kill() => _stopped.Set();

    public CommandEnd Wait()
    {
        while (!_process.HasEnded && !_stopped.Wait(ReadInterval))
        {
            ReadUsage();
        }

        long elapsed = (long)Stopwatch.GetElapsedTime(_start).TotalNanoseconds;
        ReadUsage();
        return new CommandEnd(0, IsSignal: false, elapsed, new ResourceUsage { Cpu = _now - _before, MaxResidentBytes = _maxResident });
    }

    public void Dispose() => _process.Dispose();

    private void ReadUsage()
    {
        if (ProcTaskStat.TryRead(Id, stackalloc byte[ProcTaskStat.MaxLength], out ProcTaskStat stat))
        {
            _now = stat.Usage;
        }

        _maxResident = Math.Max(_maxResident, ReadMaxResident());
    }

    /// <summary>Returns VmHWM of proc_pid_status(5), in bytes; 0 if it is unknown.</summary>
    private long ReadMaxResident()
    {
        const string Label = "VmHWM:";
        try
        {
            string? line = File.ReadLines($"/proc/{Id}/status").FirstOrDefault(line => line.StartsWith(Label, StringComparison.Ordinal));
            string? kibibytes = line?[Label.Length..].Replace("kB", "", StringComparison.Ordinal).Trim();
            return kibibytes is null ? 0 : 1024 * long.Parse(kibibytes, CultureInfo.InvariantCulture);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }
}
