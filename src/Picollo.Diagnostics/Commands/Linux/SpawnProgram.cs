using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.Diagnostics.Commands.Linux;

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
    public static (SpawnProgram? Program, string? UnavailableReason) Current
    {
        get
        {
            lock (Gate)
            {
                string? reason = null;
                if (_current is null)
                {
                    (_current, reason) = Create();
                }

                return (_current, reason);
            }
        }
    }

    public string Path => $"/proc/self/fd/{file.DangerousGetHandle()}";

    private static (SpawnProgram?, string?) Create()
    {
        if (!OperatingSystem.IsLinux())
        {
            return (null, Unavailable + "they require Linux");
        }

        string resource = $"picollo_spawn.linux-{RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant()}";
        using Stream? image = typeof(SpawnProgram).Assembly.GetManifestResourceStream(resource);
        if (image is null)
        {
            return (null, $"{Unavailable}this build has no {resource}; build it with native/build.sh");
        }

        int descriptor = LibC.memfd_create("picollo_spawn", LibC.MFD_CLOEXEC | LibC.MFD_EXEC);
        descriptor = descriptor >= 0 ? descriptor : LibC.memfd_create("picollo_spawn", LibC.MFD_CLOEXEC); // before Linux 6.3
        if (descriptor < 0)
        {
            string remedy = Marshal.GetLastPInvokeError() is Errno.EMFILE or Errno.ENFILE
                ? "close files or raise ulimit -n"
                : "check whether vm.memfd_noexec is 2 or a seccomp filter is active";
            return (null, $"{Unavailable}memfd_create: {Marshal.GetLastPInvokeErrorMessage()} ({remedy})");
        }

        SafeFileHandle file = new(descriptor, ownsHandle: true);
        using (var stream = new FileStream(new SafeFileHandle(descriptor, ownsHandle: false), FileAccess.Write, bufferSize: 0))
        {
            image.CopyTo(stream);
        }

        return (new SpawnProgram(file), null);
    }
}
