using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>The contents of /proc/meminfo, statm and cmdline.</summary>
public class ProcMemoryTests
{
    /// <summary>The first lines of a current kernel, swap and reclaimable memory.</summary>
    internal const string MemInfo = """
        MemTotal:       24684112 kB
        MemFree:        23454784 kB
        MemAvailable:   24183040 kB
        Buffers:           27796 kB
        Cached:           569700 kB
        SwapCached:          128 kB
        SwapTotal:       1048572 kB
        SwapFree:        1000000 kB
        Shmem:             12756 kB
        KReclaimable:     480000 kB
        SReclaimable:     470272 kB
        HugePages_Total:       0
        Hugepagesize:       2048 kB

        """;

    [Fact]
    public void Memory_equals_the_output_of_free_and_top()
    {
        MachineMemory memory = Parse(MemInfo);

        memory.TotalBytes.Should().Be(24_684_112L * 1024);
        memory.FreeBytes.Should().Be(23_454_784L * 1024);
        memory.AvailableBytes.Should().Be(24_183_040L * 1024);
        memory.CacheBytes.Should().Be((27_796L + 569_700 + 470_272) * 1024);
        memory.UsedBytes.Should().Be((24_684_112L - 24_183_040) * 1024);
        memory.SwapTotalBytes.Should().Be(1_048_572L * 1024);
        memory.SwapFreeBytes.Should().Be(1_000_000L * 1024);
    }

    [Fact]
    public void A_kernel_before_3_14_does_not_report_available_memory()
    {
        // From a 2.6.32, whose SReclaimable is further down.
        MachineMemory memory = Parse("""
            MemTotal:        1020696 kB
            MemFree:          100000 kB
            Buffers:           20000 kB
            Cached:           300000 kB
            SwapTotal:             0 kB
            SwapFree:              0 kB
            Slab:              90000 kB
            SReclaimable:      50000 kB

            """);

        memory.AvailableBytes.Should().BeNull();
        memory.UsedBytes.Should().Be((1_020_696L - 100_000 - 20_000 - 300_000 - 50_000) * 1024);
    }

    [Theory]
    [InlineData("")]
    [InlineData("MemTotal: 1 kB\n")]
    [InlineData("MemTotal: 1 kB\nMemFree: 1 kB")] // the last line may be truncated
    [InlineData("MemTotal: -1 kB\nMemFree: 1 kB\n")]
    public void Text_without_total_or_free_memory_is_rejected(string text) =>
        ProcMemory.TryParse(Encoding.ASCII.GetBytes(text), out _).Should().BeFalse();

    [Fact]
    public void Sizes_that_do_not_fit_are_clamped()
    {
        MachineMemory memory = Parse("""
            MemTotal: 18446744073709551615 kB
            MemFree: 9007199254740992 kB
            Buffers: 18446744073709551615 kB
            Cached: 18446744073709551615 kB

            """);

        (memory.TotalBytes, memory.FreeBytes, memory.CacheBytes).Should().Be((long.MaxValue, long.MaxValue, long.MaxValue));
        memory.UsedBytes.Should().BeGreaterThanOrEqualTo(0);
    }

    [Fact]
    public void The_sizes_of_a_process_are_the_first_three_numbers_of_statm()
    {
        ProcMemory.TryParseStatm("738 463 400 5 0 113 0\n"u8, out long size, out long resident, out long shared).Should().BeTrue();

        (size, resident, shared).Should().Be((738, 463, 400));
        ProcMemory.TryParseStatm("738 463 40"u8, out _, out _, out _).Should().BeFalse("the number may be truncated");
        ProcMemory.TryParseStatm(""u8, out _, out _, out _).Should().BeFalse();
    }

    [Fact]
    public void A_schedstat_has_three_numbers()
    {
        ProcSchedStat.TryParse("123456789 555 42\n"u8, out ProcSchedStat stat).Should().BeTrue();

        stat.Should().Be(new ProcSchedStat(123_456_789, 555, 42));
        foreach (string text in new[] { "", "123456789", "1 2\n", "1 2 3", "-1 2 3\n", "1 2 x\n" })
        {
            ProcSchedStat.TryParse(Encoding.ASCII.GetBytes(text), out stat).Should().BeFalse(text);
            stat.Should().Be(default(ProcSchedStat));
        }
    }

    [Theory]
    [InlineData("", new string[0])]
    [InlineData("sleep\060\0", new[] { "sleep", "60" })]
    [InlineData("sh\0-c\0\0", new[] { "sh", "-c", "" })]
    [InlineData("\0", new[] { "" })]
    [InlineData("nginx: worker process", new[] { "nginx: worker process" })] // overwritten, without a zero
    [InlineData("a b\nc\0d\0", new[] { "a b\nc", "d" })]
    public void Arguments_are_separated_by_NUL_characters(string text, string[] words) =>
        LinuxTasks.ParseCommandLine(Encoding.UTF8.GetBytes(text)).Should().Equal(words);

    [Fact]
    public void Arguments_round_trip() => Prop.ForAll(
        Arb.From(Gen.Elements("", " ", "a", "-x=√", "\n", "two words").ArrayOf()),
        words => LinuxTasks.ParseCommandLine(Encoding.UTF8.GetBytes(string.Concat(words.Select(word => word + '\0')))).SequenceEqual(words)).Check(Config.QuickThrowOnFailure);

    private static MachineMemory Parse(string text)
    {
        ProcMemory.TryParse(Encoding.ASCII.GetBytes(text), out MachineMemory memory).Should().BeTrue();
        return memory;
    }
}
