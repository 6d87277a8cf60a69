using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Bytes at random, and real texts with bytes changed, cut out, doubled and put in between: no parser throws, and nothing comes
/// out negative or not a number. FsCheck's message has the seed.</summary>
public class HostileTextTests
{
    private const int Cases = 2_000;

    private static readonly string[] Texts =
    [
        CapturedRoot.TwoCpus,
        "cpu  18446744073709551615 9223372036854775807 9223372036854775808 1 2 3 4 5 18446744073709551615 6\n",
        ProcTaskStatTests.Line("a) R 1 (b"),
        "123456789 555 42\n",
        "0.65 0.33 0.20 2/249 3797\n",
        "some avg10=1.50 avg60=0.75 avg300=100.00 total=1234567\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n",
        "usage_usec 7000000\nnr_periods 10\nnr_throttled 4\nthrottled_usec 2500000\nthrottled_time 1\n",
        "50000 100000\n",
        "4:cpu,cpuacct:/docker/1\n2:cpuacct:/\n0::/docker\n",
        "32 31 0:29 /docker /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n30 23 0:26 / /c\\040g rw - cgroup2 none rw\n",
    ];

    // Bytes that mean something in one of the texts, and any others.
    private static readonly Gen<byte> AnyByte = Gen.OneOf(
        Gen.Elements(" \n()/:,-=.0189eE+\\xN"u8.ToArray()),
        Gen.Choose(0, 255).Select(value => (byte)value));

    private static readonly Gen<byte[]> RandomBytes = AnyByte.ArrayOf();

    private static readonly Gen<byte[]> MutatedText =
        from text in Gen.Elements(Texts)
        from edits in Gen.Zip(Gen.Choose(0, 3), Gen.Zip(Gen.Choose(0, 1_000), AnyByte)).ArrayOf()
        select edits.Aggregate(Encoding.UTF8.GetBytes(text), Edit);

    [Fact]
    public void No_text_makes_a_parser_throw_or_count_below_zero() => Prop
        .ForAll(Arb.From(Gen.OneOf(RandomBytes, MutatedText)), text =>
        {
            CheckMachine(text);
            CheckTask(text);
            CheckCgroup(text);
            return true;
        })
        .Check(Config.QuickThrowOnFailure.WithMaxTest(Cases));

    [Fact]
    public void No_two_texts_make_a_negative_share() => Prop
        .ForAll(Arb.From(Gen.Zip(MutatedText, MutatedText)), texts =>
        {
            var (before, after) = (new SystemCpuSample(), new SystemCpuSample());
            ProcStat.TryParse(texts.Item1, before);
            ProcStat.TryParse(texts.Item2, after);
            CpuStates states = CpuStates.Between(null, before.Total, after.Total);
            double?[] shares =
            [
                states.User, states.Nice, states.System, states.Idle, states.IOWait, states.HardIrq, states.SoftIrq, states.Steal,
                states.Guest, states.GuestNice,
            ];
            return shares.All(share => share is null or (>= 0 and <= 1))
                && (!states.HasShares || Math.Abs(shares.Sum()!.Value - 1) < 1e-9);
        })
        .Check(Config.QuickThrowOnFailure.WithMaxTest(Cases));

    [Fact]
    public void No_bytes_are_a_listing_that_does_not_end() => Prop
        .ForAll(Arb.From(RandomBytes), bytes =>
        {
            var entries = new DirectoryEntries(bytes);
            int count = 0;
            while (entries.MoveNext())
            {
                count++;
            }

            return count <= bytes.Length / 20;
        })
        .Check(Config.QuickThrowOnFailure.WithMaxTest(Cases));

    private static void CheckMachine(byte[] text)
    {
        var sample = new SystemCpuSample();
        if (ProcStat.TryParse(text, sample))
        {
            sample.Total[CpuState.User].Should().BeGreaterThanOrEqualTo(TimeSpan.Zero);
        }

        _ = ProcLoadAverage.TryParse(text, out LoadAverage average, out int? running, out int? threads);
        NotNegative(average.OneMinute, average.FiveMinutes, average.FifteenMinutes, running, threads);
        _ = ProcPressure.TryParse(text, out CpuPressure? some, out CpuPressure? full);
        _ = ProcMemory.TryParse(text, out MachineMemory memory);
        NotNegative(
            memory.TotalBytes, memory.FreeBytes, memory.AvailableBytes, memory.CacheBytes, memory.UsedBytes, memory.SwapTotalBytes, memory.SwapFreeBytes);
        NotNegative(some?.Average10, some?.Average60, some?.Average300, some?.Total.Ticks, full?.Total.Ticks);
    }

    private static void CheckTask(byte[] text)
    {
        if (ProcTaskStat.TryParse(text, out ProcTaskStat stat))
        {
            NotNegative(stat.Usage.UserNanoseconds, stat.Usage.KernelNanoseconds, stat.Usage.TotalNanoseconds, stat.LatestStartNanoseconds, stat.LastCpu);
            char.IsAsciiLetter(stat.State).Should().BeTrue();
        }

        _ = ProcSchedStat.TryParse(text, out ProcSchedStat schedStat);
        NotNegative(schedStat.RunNanoseconds, schedStat.WaitNanoseconds, schedStat.Runs);
        _ = ProcMemory.TryParseStatm(text, out long size, out long resident, out long shared);
        NotNegative(size, resident, shared);
        LinuxTasks.ParseCommandLine(text).Should().HaveCount(text.Length == 0 ? 0 : text.AsSpan(..^1).Count((byte)0) + 1);
        new TaskNames().Get(text).Should().NotBeNull();
    }

    private static void CheckCgroup(byte[] text)
    {
        CgroupCpu group = CgroupFiles.AddStatistics(default, text);
        NotNegative(
            CgroupFiles.ParseMax(text), CgroupFiles.ParseQuota(text, text), CgroupFiles.ParseNumber(text), group.UsageNanoseconds, group.Periods,
            group.ThrottledPeriods, group.ThrottledTime?.Ticks);
        if (CgroupLocation.TryFind(text, text, out CgroupLocation? location, out _))
        {
            location.CpuDirectories.Should().NotBeEmpty();
        }
    }

    private static void NotNegative(params ReadOnlySpan<double?> values)
    {
        foreach (double? value in values)
        {
            (value is null or (>= 0 and < double.PositiveInfinity)).Should().BeTrue("{0} came out", value);
        }
    }

    private static byte[] Edit(byte[] text, (int Kind, (int Place, byte Value) At) edit)
    {
        int place = edit.At.Place % (text.Length + 1);
        int end = Math.Min(place + 1 + (edit.At.Value % 8), text.Length);
        return edit.Kind switch
        {
            0 => [.. text[..place], edit.At.Value, .. text[place..]],
            1 => [.. text[..place], .. text[end..]],
            2 => [.. text[..end], .. text[place..]],
            _ => text[..place],
        };
    }
}
