using Microsoft.Win32.SafeHandles;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Diagnostics.Commands.Linux;

/// <summary>A command that picollo_spawn starts, holds before its first instruction and waits for. native/picollo_spawn.c describes the
/// protocol.</summary>
internal sealed unsafe class HeldCommand(MeasuredCommand command, int spawner, SafeFileHandle control, SafeFileHandle report)
    : ICommandProcess
{
    // SIGHUP, SIGINT, SIGQUIT and SIGTERM, with a bit for each signal from 1 on.
    private const ulong EndingSignals = (1UL << 0) | (1UL << 1) | (1UL << 2) | (1UL << 14);

    // Descriptors that this process passes on keep their numbers, most of which are lower, so ours must not take these numbers.
    private const int FirstDescriptor = 10;

    private bool _hasEnded;

    public int Id { get; private set; }

    /// <summary>Starts the command and holds it before its first instruction.</summary>
    public static HeldCommand Start(SpawnProgram program, MeasuredCommand command)
    {
        using SafeFileHandle? input = command.InputPath is { } path
            ? File.OpenHandle(path, share: FileShare.ReadWrite | FileShare.Delete)
            : null;
        (SafeFileHandle controlIn, SafeFileHandle controlOut) = Pipe();
        SafeFileHandle? reportOut = null, reportIn = null;
        HeldCommand held;
        try
        {
            (reportOut, reportIn) = Pipe();
            held = new HeldCommand(command, Spawn(program, command, input, controlIn, reportIn), controlOut, reportOut);
        }
        catch
        {
            controlOut.Dispose();
            reportOut?.Dispose();
            throw;
        }
        finally
        {
            // From here on, only picollo_spawn and the command have these ends, so the pipes close when both have exited.
            controlIn.Dispose();
            reportIn?.Dispose();
        }

        long id;
        if (!held.TryRead(&id, sizeof(long)) || id <= 0)
        {
            held.Dispose();
            throw new MeasurementUnavailableException(
                "The command's process could not be created, because the system has run out of processes, memory or file descriptors; "
                + "check the limits with `ulimit -u` and `ulimit -n`.",
                MeasurementUnavailableCause.LimitReached);
        }

        held.Id = (int)id;
        return held;
    }

    public void Release() => Send(0);

    public void Signal(int signal) => Send((byte)signal);

    public CommandEnd Wait()
    {
        CommandReport end;
        if (!TryRead(&end, sizeof(CommandReport)))
        {
            throw new MeasurementUnavailableException(
                "picollo_spawn, which waits for the command, was killed. The command was killed with it, unless it is a set-user-ID "
                + "program.",
                MeasurementUnavailableCause.Unknown);
        }

        Reap();
        if (end.ExecError != 0)
        {
            throw command.StartFailed((int)end.ExecError);
        }

        return end.ToEnd();
    }

    public void Kill()
    {
        // Closing the pipe makes picollo_spawn kill the command.
        lock (control)
        {
            control.Dispose();
        }
    }

    public void Dispose()
    {
        Kill();
        if (!_hasEnded)
        {
            Reap();
        }

        report.Dispose();
    }

    private static int Spawn(
        SpawnProgram program, MeasuredCommand command, SafeFileHandle? input, SafeFileHandle control, SafeFileHandle report)
    {
        // The descriptors must have numbers that are free in the new process. A new copy here reserves such a number. (With glibc 2.29 and
        // later, a copy onto itself would suffice.)
        using SafeFileHandle controlTarget = Duplicate(control);
        using SafeFileHandle reportTarget = Duplicate(report);
        using SafeFileHandle? inputSource = input is null ? null : Duplicate(input); // it is not 0, even if 0 was free
        string[] arguments =
        [
            "picollo_spawn",
            $"{Number(controlTarget)}",
            $"{Number(reportTarget)}",
            $"{(command.IsText ? 's' : '-')}{(command.HasNormalScheduling ? 'n' : '-')}{(command.WorkingDirectory is null ? '-' : 'd')}",
            .. ArgumentsOf(command),
        ];
        LibC.SpawnFileActions actions;
        _ = LibC.posix_spawn_file_actions_init(&actions);
        byte** argumentTexts = AllocateTexts(arguments);
        byte** environment = AllocateTexts(EnvironmentOf(command));
        try
        {
            int process = 0;
            int error = LibC.posix_spawn_file_actions_adddup2(&actions, Number(control), Number(controlTarget));
            error = error != 0 ? error : LibC.posix_spawn_file_actions_adddup2(&actions, Number(report), Number(reportTarget));
            error = error != 0 || inputSource is null ? error
                : LibC.posix_spawn_file_actions_adddup2(&actions, Number(inputSource), 0);
            error = error != 0 || !command.OutputToError ? error : LibC.posix_spawn_file_actions_adddup2(&actions, 2, 1);
            error = error != 0 ? error : SpawnWithSignalsBlocked(&process, program, &actions, argumentTexts, environment);
            return error switch
            {
                0 => process,
                Errno.E2BIG => throw command.StartFailed(error),
                _ => throw Refused("posix_spawn", error),
            };
        }
        finally
        {
            _ = LibC.posix_spawn_file_actions_destroy(&actions);
            NativeMemory.Free(argumentTexts);
            NativeMemory.Free(environment);
        }
    }

    // The command executes its program in the directory, where a relative path would refer to another file.
    private static string[] ArgumentsOf(MeasuredCommand command) => command.WorkingDirectory is not { } directory ? command.ArgumentList
        : command.ArgumentList is [var program, .. var rest] && program.Contains('/', StringComparison.Ordinal)
            ? [directory, Path.Combine(System.Environment.CurrentDirectory, program), .. rest]
            : [directory, .. command.ArgumentList];

    private static string[] EnvironmentOf(MeasuredCommand command) =>
    [
        .. RawText.Environment().Where(variable => !command.Environment.ContainsKey(variable.Split('=')[0])),
        .. command.Environment.Where(variable => variable.Value is not null).Select(variable => $"{variable.Key}={variable.Value}"),
    ];

    /// <summary>Starts the program while the signals that picollo_spawn will ignore are blocked. Otherwise, a signal to the whole process
    /// group could end it before it ignores them.</summary>
    private static int SpawnWithSignalsBlocked(
        int* process, SpawnProgram program, LibC.SpawnFileActions* actions, byte** arguments, byte** environment)
    {
        LibC.SigSet ending = new() { Signals = EndingSignals };
        LibC.SigSet before;
        _ = LibC.pthread_sigmask(LibC.SIG_BLOCK, &ending, &before);
        int error = LibC.posix_spawn(process, program.Path, actions, null, arguments, environment);
        _ = LibC.pthread_sigmask(LibC.SIG_SETMASK, &before, null);
        return error;
    }

    /// <summary>Allocates a null-terminated array of addresses and its texts in one block.</summary>
    private static byte** AllocateTexts(string[] texts)
    {
        byte[][] encoded = [.. texts.Select(RawText.Encode)];
        int length = encoded.Sum(text => text.Length + 1);
        nuint addresses = (nuint)(texts.Length + 1) * (nuint)sizeof(byte*);
        byte** all = (byte**)NativeMemory.Alloc(addresses + (nuint)length);
        byte* next = (byte*)all + addresses;
        for (int i = 0; i < texts.Length; i++)
        {
            all[i] = next;
            encoded[i].CopyTo(new Span<byte>(next, encoded[i].Length));
            next += encoded[i].Length;
            *next++ = 0;
        }

        all[texts.Length] = null;
        return all;
    }

    private static (SafeFileHandle Out, SafeFileHandle In) Pipe()
    {
        int* ends = stackalloc int[2];
        return LibC.pipe2(ends, LibC.O_CLOEXEC) == 0
            ? (new(ends[0], ownsHandle: true), new(ends[1], ownsHandle: true))
            : throw Refused("pipe2", Marshal.GetLastPInvokeError());
    }

    private static SafeFileHandle Duplicate(SafeFileHandle file)
    {
        int copy = LibC.fcntl(Number(file), LibC.F_DUPFD_CLOEXEC, FirstDescriptor);
        return copy >= 0 ? new(copy, ownsHandle: true) : throw Refused("fcntl", Marshal.GetLastPInvokeError());
    }

    private static MeasurementUnavailableException Refused(string call, int error) => new(
        $"The command could not be started: {call}: {Marshal.GetPInvokeErrorMessage(error)}.", LinuxReasons.CauseOf(error), error);

    private static int Number(SafeFileHandle file) => (int)file.DangerousGetHandle();

    private void Send(byte message)
    {
        lock (control)
        {
            // If the reader has exited, the write fails with EPIPE, because .NET ignores SIGPIPE.
            while (!control.IsClosed && LibC.write(Number(control), &message, 1) < 0 && Marshal.GetLastPInvokeError() == Errno.EINTR)
            {
            }
        }
    }

    private bool TryRead(void* buffer, int length)
    {
        for (int got = 0; got < length;)
        {
            nint read = LibC.read(Number(report), (byte*)buffer + got, length - got);
            if (read < 0 && Marshal.GetLastPInvokeError() == Errno.EINTR)
            {
                continue;
            }

            if (read <= 0)
            {
                return false;
            }

            got += (int)read;
        }

        return true;
    }

    private void Reap()
    {
        _hasEnded = true;
        int status;
        while (LibC.waitpid(spawner, &status, 0) < 0 && Marshal.GetLastPInvokeError() == Errno.EINTR)
        {
        }
    }
}

/// <summary>struct report in native/picollo_spawn.c.</summary>
internal struct CommandReport
{
    /// <summary>Always 0, which is not a valid process ID.</summary>
    public long Ended;

    /// <summary>The status from wait4(2).</summary>
    public long Status;

    /// <summary>The error of execve(2); 0 if the command was executed.</summary>
    public long ExecError;

    public long StartNanoseconds;
    public long EndNanoseconds;
    public LibC.Rusage UsageBefore;
    public LibC.Rusage Usage;

    /// <summary>Converts the report. In the status, the lower seven bits are the signal that ended the command, 0 for none, and the exit
    /// code is in the bits above the lower eight (wait(2)).</summary>
    public readonly CommandEnd ToEnd()
    {
        int signal = (int)Status & 0x7F;
        return new(
            signal != 0 ? signal : ((int)Status >> 8) & 0xFF,
            signal != 0,
            EndNanoseconds - StartNanoseconds,
            LinuxResourceUsage.ToUsage(Usage) - LinuxResourceUsage.ToUsage(UsageBefore));
    }
}

/// <summary>picollo_spawn (native/picollo_spawn.c) as an executable file in memory. It therefore needs neither the executable bit, which
/// packages do not preserve, nor a file system that allows execution.</summary>
internal sealed class SpawnProgram(SafeFileHandle file)
{
    private const string Unavailable =
        "the maximum resident size, counters, and page faults and context switches of the command alone are unavailable: ";

    private static readonly Lock Gate = new();
    private static SpawnProgram? _current; // guarded by Gate

    /// <summary>The program of this process, or the unavailable values and the cause. Each call tries again, because a failure can be
    /// temporary.</summary>
    public static (SpawnProgram? Program, MeasurementUnavailableException? Failure) Current
    {
        get
        {
            lock (Gate)
            {
                MeasurementUnavailableException? failure = null;
                if (_current is null)
                {
                    (_current, failure) = Create();
                }

                return (_current, failure);
            }
        }
    }

    public string Path => $"/proc/self/fd/{file.DangerousGetHandle()}";

    private static (SpawnProgram?, MeasurementUnavailableException?) Create()
    {
        if (!OperatingSystem.IsLinux())
        {
            return (null, new(Unavailable + "they require Linux", MeasurementUnavailableCause.NotSupported));
        }

        string resource = $"picollo_spawn.linux-{RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant()}";
        using Stream? image = typeof(SpawnProgram).Assembly.GetManifestResourceStream(resource);
        if (image is null)
        {
            return (null, new(
                $"{Unavailable}this build has no {resource}; build it with native/build.sh", MeasurementUnavailableCause.NotSupported));
        }

        int descriptor = LibC.memfd_create("picollo_spawn", LibC.MFD_CLOEXEC | LibC.MFD_EXEC);
        descriptor = descriptor >= 0 ? descriptor : LibC.memfd_create("picollo_spawn", LibC.MFD_CLOEXEC); // before Linux 6.3
        if (descriptor < 0)
        {
            int error = Marshal.GetLastPInvokeError();
            string remedy = error is Errno.EMFILE or Errno.ENFILE
                ? "close files or raise ulimit -n"
                : "check whether vm.memfd_noexec is 2 or a seccomp filter is active";
            MeasurementUnavailableCause cause = error is Errno.EPERM or Errno.EACCES
                ? MeasurementUnavailableCause.Unknown // one of the two
                : LinuxReasons.CauseOf(error);
            return (null, new($"{Unavailable}memfd_create: {Marshal.GetPInvokeErrorMessage(error)} ({remedy})", cause, error));
        }

        SafeFileHandle file = new(descriptor, ownsHandle: true);
        using (var stream = new FileStream(new SafeFileHandle(descriptor, ownsHandle: false), FileAccess.Write, bufferSize: 0))
        {
            image.CopyTo(stream);
        }

        return (new SpawnProgram(file), null);
    }
}
