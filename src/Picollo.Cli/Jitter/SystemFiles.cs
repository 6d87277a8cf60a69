using Picollo.Interop.Linux;

namespace Picollo.Cli.Jitter;

/// <summary>Saves the same files about the machine as jitterdebugger. Omits files that cannot be read.</summary>
internal static unsafe class SystemFiles
{
    private static readonly (string Name, string Source)[] Copies =
    [
        ("cmdline", "/proc/cmdline"), ("config.gz", "/proc/config.gz"), ("cpuinfo", "/proc/cpuinfo"), ("interrupts", "/proc/interrupts"),
        ("sched_debug", "/proc/sched_debug"), ("sched_debug", "/sys/kernel/debug/sched/debug"), // since Linux 5.13
    ];

    public static void Save(ResultFolder folder)
    {
        foreach ((string name, string source) in Copies)
        {
            if (InputFile.TryRead(source) is { } content)
            {
                folder.Write(name, file => file.Write(content));
            }
        }

        SystemNames names = SystemNames.Read();
        folder.WriteText("cpus_online", file => file.Write(Invariant($"{names.OnlineCpus}\n")));
        folder.WriteText("uname", file => file.Write($"{names.System} {names.Host} {names.Release} {names.Version} {names.Machine}\n"));
        if (KernelLog() is { } log)
        {
            folder.Write("dmesg", file => file.Write(log));
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

/// <summary>The names of uname(1), and the number of online CPUs.</summary>
internal sealed record SystemNames(string System, string Host, string Release, string Version, string Machine, int OnlineCpus)
{
    public static SystemNames Read() => new(
        Kernel("ostype"),
        Kernel("hostname"),
        Kernel("osrelease"),
        Kernel("version"),
        RuntimeInformation.OSArchitecture == Architecture.Arm64 ? "aarch64" : "x86_64",
        CpuList.Parse(Line("/sys/devices/system/cpu/online"))?.Length ?? Environment.ProcessorCount);

    private static string Kernel(string name) => Line($"/proc/sys/kernel/{name}");

    private static string Line(string path) => Encoding.UTF8.GetString(InputFile.TryRead(path) ?? []).TrimEnd('\n');
}
