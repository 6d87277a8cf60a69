using Picollo.Cli.Shell;
using Picollo.Cpu.Linux;
using Picollo.Diagnostics;

namespace Picollo.Cli.Stat;

/// <summary>Hands the tool's signals on to the command that runs, unless the terminal has sent them to both.</summary>
internal sealed class StatSignals
{
    private const int Continue = 18; // on Linux

    private readonly Lock _lock = new();
    private readonly Interrupt _interrupt;
    private RunningCommand? _running;
    private bool _isInOwnGroup;

    public StatSignals(Interrupt interrupt)
    {
        _interrupt = interrupt;
        _interrupt.Token.Register(HandOn);
    }

    /// <summary>From now on it is this command that signals go to; one that has come already goes to it at once, even if it was typed:
    /// before its first instruction the command may have been deaf to it.</summary>
    public void Attach(RunningCommand running, MeasuredCommand command)
    {
        lock (_lock)
        {
            _running = running;
            _isInOwnGroup = command.IsText;
            if (_interrupt.Signal is { } signal && _interrupt.Token.IsCancellationRequested)
            {
                Send(signal);
            }
        }
    }

    public void Detach()
    {
        lock (_lock)
        {
            _running = null;
        }
    }

    private void HandOn()
    {
        lock (_lock)
        {
            if (_running is null || _interrupt.Signal is not { } signal)
            {
                return;
            }

            if (_isInOwnGroup || signal == Interrupt.Terminated || !IsInForeground())
            {
                Send(signal);
            }
        }
    }

    /// <summary>With what lets a stopped command go on, which would otherwise not learn of it, nor end.</summary>
    private void Send(int signal)
    {
        _running!.Signal(signal);
        if (OperatingSystem.IsLinux())
        {
            _running.Signal(Continue);
        }
    }

    /// <summary>Whether this process's group is the one that its terminal sends Ctrl+C to: fields pgrp and tpgid of proc_pid_stat(5). What
    /// came then was most likely typed, and the command has got it; a program that is asked twice often gives up at once.</summary>
    private static bool IsInForeground()
    {
        if (!OperatingSystem.IsLinux())
        {
            return !Console.IsInputRedirected;
        }

        return ProcTaskStat.TryRead("/proc/self/stat\0"u8, stackalloc byte[ProcTaskStat.MaxLength], out ProcTaskStat stat)
            && stat.ProcessGroup == stat.ForegroundGroup;
    }
}
