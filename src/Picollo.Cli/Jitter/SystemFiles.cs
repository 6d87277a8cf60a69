using Picollo.Cli.Shell;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Jitter;

/// <summary>What the machine was, beside the results: the same files as jitterdebugger's. What this user may not read, or this kernel has
/// not, is left out.</summary>
internal static unsafe class SystemFiles
{
    private static readonly (string Name, string Source)[] Copies =
    [
        ("cmdline", "/proc/cmdline"), ("config.gz", "/proc/config.gz"), ("cpuinfo", "/proc/cpuinfo"), ("interrupts", "/proc/interrupts"),
        ("sched_debug", "/proc/sched_debug"), ("sched_debug", "/sys/kernel/debug/sched/debug"), // where it is since Linux 5.13
    ];

    /// <exception cref="CommandException">One cannot be written.</exception>
    public static void Save(ResultFolder folder)
    {
        foreach ((string name, string source) in Copies)
        {
            if (TryRead(source) is { } content)
            {
                folder.Write(name, file => file.Write(content));
            }
        }

        SystemNames names = SystemNames.Read();
        WriteText("cpus_online", FormattableString.Invariant($"{names.OnlineCpus}\n"));
        WriteText("uname", $"{names.System} {names.Host} {names.Release} {names.Version} {names.Machine}\n");
        if (KernelLog() is { } log)
        {
            folder.Write("dmesg", file => file.Write(log));
        }

        void WriteText(string name, string text) => folder.WriteText(name, file => file.Write(text));
    }

    private static byte[]? TryRead(string path)
    {
        try
        {
            return File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static byte[]? KernelLog()
    {
        int size = LibC.klogctl(LibC.SYSLOG_ACTION_SIZE_BUFFER, null, 0);
        byte[] log = new byte[Math.Max(size, 0)];
        fixed (byte* first = log)
        {
            int read = size > 0 ? LibC.klogctl(LibC.SYSLOG_ACTION_READ_ALL, first, size) : -1;
            return read >= 0 ? log[..read] : null;
        }
    }
}
