using System.Runtime.InteropServices;

namespace Picollo.TestKit;

/// <summary>Runs code with other rights, on a dedicated thread: the kernel's system calls change the rights of one thread (the functions of
/// the C library change those of all threads).</summary>
internal static unsafe partial class AsUser
{
    public const uint Nobody = 65534;

    private static readonly bool IsX64 = RuntimeInformation.ProcessArchitecture == Architecture.X64;

    /// <summary>Runs the action as another user.</summary>
    public static T Run<T>(uint user, Func<T> action) => RunOnThread(action, () =>
        SystemCall(IsX64 ? 117 : 147, (nint)user, (nint)user, (nint)user).Should().Be(0)); // setresuid

    /// <summary>Runs the action as this user, without root's right to use all perf events (CAP_PERFMON, and CAP_SYS_ADMIN, which includes
    /// it).</summary>
    public static T WithoutPerfMonitoring<T>(Func<T> action) => RunOnThread(action, () =>
    {
        const int administration = 21, perfMonitor = 38;
        uint* header = stackalloc uint[] { 0x20080522, 0 }; // _LINUX_CAPABILITY_VERSION_3, this thread
        uint* sets = stackalloc uint[6]; // effective, permitted and inheritable: first the lower halves, then the upper halves
        SystemCall(IsX64 ? 125 : 90, (nint)header, (nint)sets, 0).Should().Be(0); // capget
        for (int i = 0; i < 3; i++)
        {
            sets[i] &= ~(1u << administration);
            sets[3 + i] &= ~(1u << (perfMonitor - 32));
        }

        SystemCall(IsX64 ? 126 : 91, (nint)header, (nint)sets, 0).Should().Be(0); // capset
    });

    private static T RunOnThread<T>(Func<T> action, Action drop)
    {
        T result = default!;
        Exception? failure = null;
        var thread = new Thread(() =>
        {
            try
            {
                drop();
                result = action();
            }
            catch (Exception e)
            {
                failure = e;
            }
        });
        thread.Start();
        thread.Join();
        return failure is null ? result : throw failure;
    }

    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number, nint first, nint second, nint third);
}
