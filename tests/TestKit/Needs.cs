using System.Collections.Concurrent;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace Picollo.TestKit;

/// <summary>Checks needs and returns the reasons why they are not met. It does not use Picollo, so that a defect of Picollo fails tests
/// instead of skipping them.</summary>
internal static partial class Needs
{
    private const string Setup = "./build.sh setup installs it as root on Debian or Ubuntu, and prints the package elsewhere";

    private static readonly ConcurrentDictionary<Need, string?> Reasons = [];

    /// <summary>The folder of downloads of scripts. It is outside the clone, so that other clones can use it.</summary>
    private static readonly string CacheFolder = Path.Combine(
        Environment.GetEnvironmentVariable("XDG_CACHE_HOME") is { Length: > 0 } cache
            ? cache
            : Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".cache"),
        "picollo");

    /// <summary>The folder of the kernels that kernels.sh fetches.</summary>
    public static string KernelFolder { get; } = Path.Combine(CacheFolder, "kernels");

    /// <summary>The program that victoriametrics.sh fetches.</summary>
    public static string VictoriaMetrics { get; } = Path.Combine(CacheFolder, "victoria-metrics/usr/bin/victoria-metrics");

    /// <summary>The program that aspire.sh fetches.</summary>
    public static string AspireDashboard { get; } = Path.Combine(CacheFolder, "aspire-dashboard-13.6.5/Aspire.Dashboard");

    /// <summary>The first browser on the PATH; null if there is none.</summary>
    public static string? Browser { get; } = Array.Find(["chromium", "chromium-browser", "google-chrome"], Tool.Exists);

    /// <summary>nginx, in a folder that is not on the PATH of ordinary users.</summary>
    public const string Nginx = "/usr/sbin/nginx";

    /// <summary>The HdrHistogram library for Java.</summary>
    public const string JavaLibrary = "/usr/share/java/hdrhistogram.jar";

    /// <returns>The reason why the first unmet need is not met; null if all needs are met.</returns>
    public static string? WhyNot(params ReadOnlySpan<Need> needs)
    {
        foreach (Need need in needs)
        {
            if (Reasons.GetOrAdd(need, Find) is { } reason)
            {
                return reason;
            }
        }

        return null;
    }

    private static string? Find(Need need) => need switch
    {
        Need.Linux => OperatingSystem.IsLinux() ? null : "needs Linux",
        Need.Root => Environment.IsPrivilegedProcess ? null : "needs root",
        Need.PerfEvents => WhyNot(Need.Linux) ?? PerfEvents(),
        Need.KernelCounters => WhyNot(Need.PerfEvents) ?? KernelCounters(),
        Need.NativeLibrary => Library(ThisMachine.Rid),
        Need.Avx512 => Avx512CD.IsSupported ? null : "needs a processor with AVX-512",
        Need.RealTime => WhyNot(Need.Linux) ?? Works("needs SCHED_FIFO", "chrt", "-f", "80", "true"),
        Need.SmallDisk => WhyNot(Need.Linux, Need.Root, Need.Unshare) ?? Works("cannot mount a tmpfs", "unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"),
        Need.OwnProc => WhyNot(Need.Linux, Need.Root, Need.Unshare, Need.Setpriv)
            ?? Works("cannot mount a /proc", "unshare", "-mp", "--fork", "mount", "-t", "proc", "-o", "subset=pid", "proc", "/proc"),
        Need.Cultures => Cultures.UnavailableReason,
        Need.Chromium => Browser is null ? Lacks("chromium") : null,
        Need.Gcc => Program("gcc"),
        Need.Go => Program("go"),
        Need.Java => Program("javac")
            ?? (File.Exists(JavaLibrary) ? null : $"no {JavaLibrary}: {Setup}"),
        Need.Mpstat => WhyNot(Need.Linux) ?? Program("mpstat"),
        Need.NativeAot => WhyNot(Need.Linux, Need.NativeLibrary) ?? (Tool.Exists("clang") ? null : Program("gcc")) ?? NativeAotPackages(),
        Need.Nginx => File.Exists(Nginx) ? null : $"no {Nginx}: {Setup}",
        Need.OpenMetricsParser => Works(
            $"no reference parser of OpenMetrics: {Setup}", "/usr/bin/python3", "-c", "import prometheus_client.openmetrics.parser"),
        Need.Pidstat => WhyNot(Need.Linux) ?? Program("pidstat"),
        Need.Prlimit => Program("prlimit"),
        Need.Prometheus => Program("prometheus") ?? Program("promtool"),
        Need.Readelf => WhyNot(Need.Linux) ?? Program("readelf"),
        Need.Setpriv => Program("setpriv"),
        Need.Taskset => Program("taskset"),
        Need.Tmux => WhyNot(Need.Linux) ?? Program("tmux"),
        Need.Top => WhyNot(Need.Linux) ?? Program("top"),
        Need.Unshare => Program("unshare"),
        Need.Unzip => Program("unzip"),
        Need.VictoriaMetrics => OnX64("VictoriaMetrics can be fetched") ?? (File.Exists(VictoriaMetrics)
            ? null
            : $"no {VictoriaMetrics}: run tests/Picollo.Peers.Tests/OpenTelemetry/victoriametrics.sh first (on Debian, it fetches Debian's package)"),
        Need.AspireDashboard => OnX64("the Aspire dashboard can be fetched") ?? Program("python3") ?? (File.Exists(AspireDashboard)
            ? null
            : $"no {AspireDashboard}: run tests/Picollo.Peers.Tests/OpenTelemetry/aspire.sh first"),
        Need.Wine => OnX64("Windows programs can run under Wine") ?? Program("wine") ?? Library("win-x64"),
        Need.Arm64Machine => Machine("qemu-system-aarch64", "linux-arm64", "arm64") ?? Program("aarch64-linux-gnu-gcc"),
        Need.X64Machine => Machine("qemu-system-x86_64", "linux-x64", "amd64") ?? Program("gcc"),
        Need.Arm64Library => PackedLibrary("linux-arm64"),
        Need.WindowsLibrary => PackedLibrary("win-x64"),
        Need.X64Library => PackedLibrary("linux-x64"),
        _ => throw new ArgumentOutOfRangeException(nameof(need), need, null),
    };

    private static string? Program(string program) => Tool.Exists(program) ? null : Lacks(program);

    private static string Lacks(string program) => $"no '{program}' on the PATH: {Setup}";

    private static string? Library(string rid) =>
        Repository.HasShim(rid) ? null : $"native/out/{rid} is empty: run native/build.sh {rid} first";

    // In CI, packages that are passed in must contain all libraries.
    private static string? PackedLibrary(string rid) =>
        Environment.GetEnvironmentVariable("PICOLLO_PACKAGES") is null || Environment.GetEnvironmentVariable("CI") is null ? Library(rid) : null;

    private static string? OnX64(string what) =>
        ThisMachine.Rid == "linux-x64" ? null : $"{what} on linux-x64 only; this is {ThisMachine.Rid}";

    private static string? Machine(string emulator, string rid, string architecture) =>
        OnX64("emulated machines can be booted")
        ?? Program(emulator)
        ?? Library(rid)
        ?? (File.Exists(Path.Combine(KernelFolder, architecture, "vmlinuz"))
            ? null
            : $"{KernelFolder} has no kernel: run tests/Picollo.Platform.Tests/Kernel/kernels.sh first (on Debian, it fetches Debian's kernel)");

    /// <summary>Restores a project. Only a missing package is a reason to skip; other failures must fail the test.</summary>
    private static string? NativeAotPackages()
    {
        string folder = Directory.CreateTempSubdirectory("picollo-aot-").FullName;
        try
        {
            File.WriteAllText(Path.Combine(folder, "Restored.csproj"), """
                <Project Sdk="Microsoft.NET.Sdk">
                  <PropertyGroup>
                    <TargetFramework>net10.0</TargetFramework>
                    <PublishAot>true</PublishAot>
                  </PropertyGroup>
                  <ItemGroup>
                    <FrameworkReference Include="Microsoft.AspNetCore.App" />
                  </ItemGroup>
                </Project>
                """);
            Tool.Dotnet(folder, "restore", "-r", ThisMachine.Rid);
            return null;
        }
        catch (InvalidOperationException e)
        {
            // NU1101: the package does not exist. NU1102: the version does not exist. NU1301: the source cannot be reached.
            string? lacking = e.Message.Split('\n').FirstOrDefault(line => line.Contains("error NU1101") || line.Contains("error NU1102") || line.Contains("error NU1301"));
            return lacking is null ? null : $"no package for Native AOT: {lacking[lacking.IndexOf("NU1", StringComparison.Ordinal)..]}";
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string? Works(string otherwise, string program, params string[] arguments)
    {
        try
        {
            Tool.Run(program, "/", new Dictionary<string, string?>(), arguments);
            return null;
        }
        catch (Exception e) when (e is InvalidOperationException or System.ComponentModel.Win32Exception)
        {
            return $"{otherwise}: {e.Message.ReplaceLineEndings(" ").Trim()}";
        }
    }

    // Opens a counter of this thread's page faults in user mode.
    private static unsafe string? PerfEvents()
    {
        const int size = 64; // PERF_ATTR_SIZE_VER0
        const ulong software = 1, pageFaults = 2, excludeKernel = 1 << 5, excludeHypervisor = 1 << 6;
        ulong* attributes = stackalloc ulong[size / sizeof(ulong)];
        new Span<ulong>(attributes, size / sizeof(ulong)).Clear();
        attributes[0] = software | ((ulong)size << 32);
        attributes[1] = pageFaults;
        attributes[5] = excludeKernel | excludeHypervisor;
        int number = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 298 : 241;
        nint descriptor = SystemCall(number, (nint)attributes, 0, -1, -1, 0);
        if (descriptor < 0)
        {
            return $"perf_event_open: {Marshal.GetLastPInvokeErrorMessage()} (kernel.perf_event_paranoid is {Paranoid() ?? "missing"})";
        }

        new Microsoft.Win32.SafeHandles.SafeFileHandle(descriptor, ownsHandle: true).Dispose();
        return null;
    }

    // The same check as the kernel's perf_allow_kernel.
    private static string? KernelCounters()
    {
        const int permitted = 1, administration = 21, perfMonitor = 38; // CAP_SYS_ADMIN, CAP_PERFMON
        const string mark = "CapEff:";
        string held = File.ReadLines("/proc/self/status").Single(line => line.StartsWith(mark, StringComparison.Ordinal))[mark.Length..];
        ulong capabilities = ulong.Parse(held.Trim(), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        return int.Parse(Paranoid()!, CultureInfo.InvariantCulture) <= permitted || (capabilities & ((1UL << administration) | (1UL << perfMonitor))) != 0
            ? null
            : $"this user may not count kernel mode events: kernel.perf_event_paranoid is {Paranoid()}; set it to 1 or grant CAP_PERFMON";
    }

    private static string? Paranoid()
    {
        const string path = "/proc/sys/kernel/perf_event_paranoid";
        return File.Exists(path) ? File.ReadAllText(path).Trim() : null;
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint attributes, nint process, nint cpu, nint group, nint flags);
}
