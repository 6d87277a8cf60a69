using System.Globalization;
using System.Runtime.InteropServices;

namespace Picollo.PerfGuestApp;

/// <summary>The system calls that the checks need, except those for counters.</summary>
internal static unsafe partial class Kernel
{
    public const int CapSysAdmin = 21, CapPerfmon = 38;

    private const string TracingFolder = "/sys/kernel/tracing";
    private const nuint Remount = 32; // MS_REMOUNT
    private const int ReadWrite = 3, PrivateAnonymous = 0x22, NoHugePage = 15; // PROT_, MAP_, MADV_
    private const int PageSize = 4096;
    private const int SetKeepCapabilities = 8; // PR_SET_KEEPCAPS

    // The numbers for x64. The functions of the C library with these names would change all threads.
    private const nint SetGroup = 119, SetUser = 117, SetCapabilities = 126; // setresgid, setresuid, capset
    private const uint CapabilityVersion = 0x20080522; // _LINUX_CAPABILITY_VERSION_3

    public static void MountTracing() => ThrowIfFailed(Mount("tracefs", TracingFolder, "tracefs", 0, null));

    public static void RemountTracing(string options) => ThrowIfFailed(Mount("tracefs", TracingFolder, "tracefs", Remount, options));

    public static int Paranoid
    {
        set => File.WriteAllText("/proc/sys/kernel/perf_event_paranoid", value.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>Pins the calling thread to one CPU, to which it has moved when this returns.</summary>
    public static void RunOn(int cpu)
    {
        ulong mask = 1UL << cpu;
        ThrowIfFailed(SetAffinity(0, sizeof(ulong), &mask));
    }

    /// <summary>Writes to pages of new memory. Each first access is a fault. Huge pages would merge many into one, so the memory does not
    /// use them.</summary>
    public static void TouchFreshPages(int count)
    {
        nuint length = (nuint)(count * PageSize);
        byte* memory = (byte*)Map(0, length, ReadWrite, PrivateAnonymous, -1, 0);
        ThrowIfFailed((nint)memory);
        ThrowIfFailed(Advise((nint)memory, length, NoHugePage));
        for (int i = 0; i < count; i++)
        {
            memory[i * PageSize] = 1;
        }

        ThrowIfFailed(Unmap((nint)memory, length));
    }

    /// <summary>Returns the number of times that the calling thread lost the CPU, voluntarily or not.</summary>
    public static ulong Switches() => (ulong)File.ReadLines("/proc/thread-self/status")
        .Where(line => line.Contains("ctxt_switches:", StringComparison.Ordinal))
        .Sum(line => long.Parse(line.AsSpan(line.IndexOf(':', StringComparison.Ordinal) + 1), CultureInfo.InvariantCulture));

    /// <summary>Runs an action on a thread of user 1000, without privileges except an optional capability. The user of other threads
    /// remains root.</summary>
    public static void AsUser(int? capability, Action action)
    {
        Exception? error = null;
        var thread = new Thread(() =>
        {
            try
            {
                const nint user = 1000;
                ThrowIfFailed(Control(SetKeepCapabilities, capability is null ? 0u : 1u, 0, 0, 0));
                ThrowIfFailed(SystemCall(SetGroup, user, user, user));
                ThrowIfFailed(SystemCall(SetUser, user, user, user));
                if (capability is { } granted)
                {
                    Grant(granted);
                }

                action();
            }
            catch (Exception e)
            {
                error = e;
            }
        });
        thread.Start();
        thread.Join();
        if (error is not null)
        {
            throw new InvalidOperationException("as user 1000", error);
        }
    }

    public static void CallTheSystem() => _ = ParentId();

    private static void Grant(int capability)
    {
        (uint Version, int Thread) header = (CapabilityVersion, 0);
        uint* sets = stackalloc uint[6]; // effective, permitted, inheritable; then the higher 32 bits of each
        new Span<uint>(sets, 6).Clear();
        int half = capability < 32 ? 0 : 3;
        sets[half] = sets[half + 1] = 1u << (capability & 31);
        ThrowIfFailed(SystemCall(SetCapabilities, (nint)(&header), (nint)sets, 0));
    }

    private static void ThrowIfFailed(nint result)
    {
        if (result == -1)
        {
            throw new InvalidOperationException(Marshal.GetLastPInvokeErrorMessage());
        }
    }

    [LibraryImport("libc", EntryPoint = "mount", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Mount(string source, string target, string type, nuint flags, string? options);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static partial int SetAffinity(int thread, nuint size, ulong* mask);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Map(nint address, nuint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Unmap(nint address, nuint length);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int Advise(nint address, nuint length, int advice);

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    private static partial int Control(int option, nuint argument, nuint second, nuint third, nuint fourth);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint first, nint second, nint third);

    [LibraryImport("libc", EntryPoint = "getppid")]
    private static partial int ParentId();
}
