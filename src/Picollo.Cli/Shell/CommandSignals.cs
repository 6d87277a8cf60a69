using Picollo.Cpu.Linux;
using Picollo.Diagnostics;

namespace Picollo.Cli.Shell;

/// <summary>Forwards the tool's signals to the running command, unless the terminal has sent them to both.</summary>
internal sealed class CommandSignals
{
    private readonly Lock _lock = new();
    private readonly Interrupt _interrupt;
    private RunningCommand? _running;
    private bool _isInOwnGroup;

    public CommandSignals(Interrupt interrupt)
    {
        _interrupt = interrupt;
        _interrupt.Token.Register(Forward);
    }

    /// <summary>Forwards signals to this command from now on, and an earlier one at once, even if it was typed: the command may not have
    /// been able to receive it before its first instruction.</summary>
    /// <param name="isInOwnGroup">Whether the terminal's signals do not reach it.</param>
    public void Attach(RunningCommand running, bool isInOwnGroup)
    {
        lock (_lock)
        {
            _running = running;
            _isInOwnGroup = isInOwnGroup;
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

    private void Forward()
    {
        lock (_lock)
        {
            if (_running is not null
                && _interrupt.Signal is { } signal
                && (_isInOwnGroup || signal == Signals.Terminate || !IsInForeground()))
            {
                Send(signal);
            }
        }
    }

    /// <summary>Sends a signal, and SIGCONT, without which a stopped command would not receive it.</summary>
    private void Send(int signal)
    {
        _running!.Signal(signal);
        if (OperatingSystem.IsLinux())
        {
            _running.Signal(Signals.Continue);
        }
    }

    /// <summary>Whether the terminal sends Ctrl+C to this process's group: fields pgrp and tpgid of proc_pid_stat(5). The signal was then
    /// most likely typed, and the command has received it, too. Many programs end at once on the second signal.</summary>
    private static bool IsInForeground() => OperatingSystem.IsLinux()
        ? ProcTaskStat.TryRead("/proc/self/stat\0"u8, stackalloc byte[ProcTaskStat.MaxLength], out ProcTaskStat stat)
            && stat.ProcessGroup == stat.ForegroundGroup
        : !Console.IsInputRedirected;
}
