using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.Diagnostics.Linux;

/// <summary>picollo_spawn (native/picollo_spawn.c) as a file that can be executed: in memory, so that neither a package's file modes nor a
/// file system that executes nothing matter.</summary>
internal sealed class SpawnProgram(SafeFileHandle file)
{
    private const string What =
        "the largest resident size, counters, and page faults and context switches apart from those of other children are not known: ";

    private static readonly Lock Gate = new();
    private static SpawnProgram? _made; // guarded by Gate

    /// <summary>This process's one; or what is not known without it, and why it is not there. A failure may pass: each call tries
    /// again.</summary>
    public static (SpawnProgram? Program, string? UnavailableReason) Current
    {
        get
        {
            lock (Gate)
            {
                string? reason = null;
                if (_made is null)
                {
                    (_made, reason) = Make();
                }

                return (_made, reason);
            }
        }
    }

    public string Path => $"/proc/self/fd/{file.DangerousGetHandle()}";

    private static (SpawnProgram?, string?) Make()
    {
        if (!OperatingSystem.IsLinux())
        {
            return (null, What + "commands are measured fully on Linux only");
        }

        string resource = $"picollo_spawn.linux-{RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant()}";
        using Stream? image = typeof(SpawnProgram).Assembly.GetManifestResourceStream(resource);
        if (image is null)
        {
            return (null, $"{What}this build has no {resource} (native/build.sh makes it)");
        }

        int descriptor = LibC.memfd_create("picollo_spawn", LibC.MFD_CLOEXEC | LibC.MFD_EXEC);
        descriptor = descriptor >= 0 ? descriptor : LibC.memfd_create("picollo_spawn", LibC.MFD_CLOEXEC); // before Linux 6.3
        if (descriptor < 0)
        {
            string remedy = Marshal.GetLastPInvokeError() is Errno.EMFILE or Errno.ENFILE
                ? "close files or raise ulimit -n"
                : "is vm.memfd_noexec 2, or a seccomp filter on?";
            return (null, $"{What}memfd_create: {Marshal.GetLastPInvokeErrorMessage()} ({remedy})");
        }

        SafeFileHandle file = new(descriptor, ownsHandle: true);
        using (var stream = new FileStream(new SafeFileHandle(descriptor, ownsHandle: false), FileAccess.Write, bufferSize: 0))
        {
            image.CopyTo(stream);
        }

        return (new SpawnProgram(file), null);
    }
}
