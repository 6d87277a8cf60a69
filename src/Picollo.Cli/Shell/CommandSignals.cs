using Picollo.Cpu.Linux;
using Picollo.Diagnostics;

namespace Picollo.Cli.Shell;

/// <summary>Forwards the tool's signals to the running command, unless the terminal sends them to both.</summary>
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

    /// <summary>Waits for a command and forwards signals to it. Forwards an earlier signal immediately, even if it came from the terminal,
    /// because the command could not receive it before its first instruction.</summary>
    /// <param name="isInOwnGroup">Whether the command has its own process group, which the terminal's signals do not reach.</param>
    public CommandRun Wait(RunningCommand running, bool isInOwnGroup)
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

        try
        {
            return running.Wait();
        }
        finally
        {
            lock (_lock)
            {
                _running = null;
            }
        }
    }

    /// <summary>Forwards all signals, and not only the first: the command decides when it ends.</summary>
    public void ForwardAll() => _interrupt.Repeated = Forward;

    private void Forward()
    {
        if (_interrupt.Signal is { } signal)
        {
            Forward(signal);
        }
    }

    private void Forward(int signal)
    {
        lock (_lock)
        {
            if (_running is not null && (_isInOwnGroup || signal == Signals.Terminate || !IsInForeground()))
            {
                Send(signal);
            }
        }
    }

    /// <summary>Sends a signal, and SIGCONT so that a stopped command receives it.</summary>
    private void Send(int signal)
    {
        _running!.SendSignal(signal);
        if (OperatingSystem.IsLinux())
        {
            _running.SendSignal(Signals.Continue);
        }
    }

    /// <summary>Returns whether this process group is in the terminal's foreground (fields pgrp and tpgid of proc_pid_stat(5)). In that
    /// case, the signal most likely came from the terminal, and the command has also received it. A second signal must be avoided because
    /// it ends many programs immediately.</summary>
    private static bool IsInForeground() => OperatingSystem.IsLinux()
        ? ProcTaskStat.TryRead("/proc/self/stat\0"u8, stackalloc byte[ProcTaskStat.MaxLength], out ProcTaskStat stat)
            && stat.ProcessGroup == stat.ForegroundGroup
        : !Console.IsInputRedirected;
}
