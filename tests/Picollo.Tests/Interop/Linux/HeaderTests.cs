using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;
using Picollo.PerfEvent;

namespace Picollo.Tests.Interop;

/// <summary>Compares the constants and structs of the interop layer with the headers of this system, using its C compiler.</summary>
public sealed class HeaderTests
{
    /// <summary>A constant that the headers of the oldest supported build systems lack.</summary>
    private const string Younger = "MFD_EXEC";

    private const string Event = "struct perf_event_attr";

    private static readonly string[] Headers =
    [
        "errno.h", "fcntl.h", "linux/memfd.h", "linux/openat2.h", "linux/perf_event.h", "poll.h", "pwd.h", "sched.h", "signal.h", "spawn.h", "stddef.h",
        "sys/ioctl.h", "sys/klog.h", "sys/mman.h", "sys/prctl.h", "sys/resource.h", "sys/stat.h", "sys/syscall.h", "termios.h", "time.h",
    ];

    [FactNeeding(Need.Linux, Need.Gcc)]
    [Trait("Category", "Slow")]
    public void Constants_and_structs_match_the_headers()
    {
        StringBuilder program = new("#define _GNU_SOURCE\n");
        program.AppendJoin('\n', Headers.Select(header => $"#include <{header}>")).Append('\n');
        program.Append("#ifndef SYSLOG_ACTION_READ_ALL\n#define SYSLOG_ACTION_READ_ALL 3\n#define SYSLOG_ACTION_SIZE_BUFFER 10\n#endif\n");
        foreach (FieldInfo constant in Constants(typeof(Errno)).Concat(Constants(typeof(LibC))))
        {
            string assertion = Assert($"(long long)({constant.Name})", constant.GetValue(null)!);
            program.Append(constant.Name == Younger ? $"#ifdef {Younger}\n{assertion}#endif\n" : assertion);
        }

        program.Append(Assert("SYS_gettid", LibC.SYS_gettid!))
            .Append(SizeOf<LibC.Timespec>("struct timespec")).Append(SizeOf<LibC.Timeval>("struct timeval"))
            .Append(SizeOf<LibC.Rusage>("struct rusage")).Append(SizeOf<LibC.PollFd>("struct pollfd"))
            .Append(SizeOf<LibC.SigSet>("sigset_t")).Append(SizeOf<LibC.Winsize>("struct winsize")).Append(SizeOf<LibC.Termios>("struct termios"))
            .Append(OffsetOf<LibC.Rusage>("struct rusage", "ru_inblock", nameof(LibC.Rusage.BlockInputs)))
            .Append(OffsetOf<LibC.Rusage>("struct rusage", "ru_oublock", nameof(LibC.Rusage.BlockOutputs)))
            .Append(OffsetOf<LibC.Rusage>("struct rusage", "ru_nsignals", nameof(LibC.Rusage.Signals)))
            .Append(OffsetOf<LibC.PollFd>("struct pollfd", "events", nameof(LibC.PollFd.Events)))
            .Append(OffsetOf<LibC.PollFd>("struct pollfd", "revents", nameof(LibC.PollFd.Returned)))
            .Append(OffsetOf<LibC.Winsize>("struct winsize", "ws_col", nameof(LibC.Winsize.Columns)))
            .Append(OffsetOf<LibC.Termios>("struct termios", "c_lflag", nameof(LibC.Termios.LocalFlags)))
            .Append(OffsetOf<LibC.Termios>("struct termios", "c_cc", nameof(LibC.Termios.Characters)))
            .Append(Assert("offsetof(struct statx, stx_uid)", 20))
            .Append(OffsetOf<PerfEventAttributes>(Event, "config1", nameof(PerfEventAttributes.Config1)))
            .Append(OffsetOf<PerfEventAttributes>(Event, "config2", nameof(PerfEventAttributes.Config2)))
            .Append(OffsetOf<PerfEventAttributes>(Event, "sample_max_stack", nameof(PerfEventAttributes.SampleMaxStack)));

        string folder = Directory.CreateTempSubdirectory("picollo-headers-").FullName;
        try
        {
            string source = Path.Combine(folder, "headers.c");
            File.WriteAllText(source, program.ToString());
            Action compile = () => Tool.Run("gcc", folder, new Dictionary<string, string?>(), "-fsyntax-only", source);
            compile.Should().NotThrow();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static IEnumerable<FieldInfo> Constants(Type type) => type
        .GetFields(BindingFlags.Static | BindingFlags.Public)
        .Where(field => field.Name.StartsWith("SYS_", StringComparison.Ordinal)
            || field.Name.All(letter => char.IsAsciiLetterUpper(letter) || char.IsAsciiDigit(letter) || letter == '_'));

    private static string Assert(string expression, object value) =>
        string.Create(CultureInfo.InvariantCulture, $"_Static_assert({expression} == {value}, \"{expression} is not {value}\");\n");

    private static string SizeOf<T>(string name) => Assert($"sizeof({name})", Unsafe.SizeOf<T>());

    private static string OffsetOf<T>(string name, string field, string ours) =>
        Assert($"offsetof({name}, {field})", (int)Marshal.OffsetOf<T>(ours));

    [Fact]
    public void The_resident_size_of_struct_rusage_is_in_KiB()
    {
        // ru_utime, ru_stime, and the fourteen counts with their numbers as values.
        Span<long> raw = [1, 2, 3, 4, .. Enumerable.Range(10, 14).Select(number => (long)number)];
        LinuxResourceUsage.ToUsage(MemoryMarshal.Cast<long, LibC.Rusage>(raw)[0]).Should().Be(new ResourceUsage
        {
            Cpu = new CpuUsage(1_000_002_000, 3_000_004_000),
            MaxResidentBytes = 10 * 1024,
            MinorPageFaults = 14,
            MajorPageFaults = 15,
            BlockInputOperations = 17,
            BlockOutputOperations = 18,
            VoluntaryContextSwitches = 22,
            InvoluntaryContextSwitches = 23,
        });
    }
}
