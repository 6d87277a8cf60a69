using System.Runtime.InteropServices;

namespace Picollo.TestKit;

/// <summary>Runs code as another user: on a thread of its own, which is what the kernel's setresuid(2) is of (the C library's is of all
/// threads).</summary>
internal static partial class AsUser
{
    public const uint Nobody = 65534;

    public static T Run<T>(uint user, Func<T> action)
    {
        T result = default!;
        Exception? failure = null;
        var thread = new Thread(() =>
        {
            try
            {
                int number = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 117 : 147;
                SystemCall(number, (nint)user, (nint)user, (nint)user).Should().Be(0);
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
    private static partial nint SystemCall(nint number, nint real, nint effective, nint saved);
}
