using System.Runtime.InteropServices;

namespace Picollo.Samples.Top;

/// <summary>The name that <c>top</c> shows of a process: that of its first thread.</summary>
internal static partial class ProcessName
{
    // <sys/prctl.h>; prctl(2). The kernel keeps 15 bytes.
    private const int PR_SET_NAME = 15;

    /// <summary>Names this process; called by its first thread. Has no effect on systems other than Linux.</summary>
    public static void Set(string name)
    {
        if (OperatingSystem.IsLinux())
        {
            _ = SetName(PR_SET_NAME, name, 0, 0, 0);
        }
    }

    [LibraryImport("libc", EntryPoint = "prctl", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int SetName(int option, string name, nuint unused3, nuint unused4, nuint unused5);
}
