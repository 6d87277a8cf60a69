using System.Runtime.InteropServices;

namespace Picollo.Samples.Top;

/// <summary>Sets the name that <c>top</c> shows for a process, which is the name of its first thread.</summary>
internal static partial class ProcessName
{
    // <sys/prctl.h>; prctl(2). The kernel keeps 15 bytes.
    private const int PR_SET_NAME = 15;

    /// <summary>Sets the name of the current process. Call it on the first thread. It has no effect on systems other than Linux.</summary>
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
