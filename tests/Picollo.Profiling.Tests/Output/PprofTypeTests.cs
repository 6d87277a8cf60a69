using System.Globalization;
using static Picollo.Profiling.Tests.Profiles;

namespace Picollo.Profiling.Tests.Output;

/// <summary>Sample types and units of other tools. tests/Picollo.Peers.Tests compares them with <c>go tool pprof</c>.</summary>
public class PprofTypeTests
{
    [Theory]
    [InlineData(0, "nanoseconds", 1_000_000)]
    [InlineData(1, "nanoseconds", 1_000_000)]
    [InlineData(0, "ns", 1_000_000)]
    [InlineData(1, "microseconds", 1_000)]
    [InlineData(0, "us", 1_000)]
    [InlineData(0, "\u00b5s", 1_000)]
    [InlineData(0, "\u03bcs", 1_000)]
    [InlineData(1, "milliseconds", 1)]
    [InlineData(0, "millisecond", 1)]
    [InlineData(0, "ms", 1)]
    public void Times_without_a_period_are_summed_in_their_unit(int period, string unit, int unitsPerMillisecond)
    {
        ForeignProfile profile = ForeignProfile.Of(2, ("cpu", unit));
        profile.ValueType(11, "cpu", unit);
        profile.Number(12, (ulong)period);
        profile.Number(10, 5_000_000_000);
        foreach ((ulong function, int milliseconds) in new[] { (1UL, 1_000), (1UL, 2_000), (2UL, 1_014) })
        {
            profile.Sample([function], [(ulong)(milliseconds * unitsPerMillisecond)]);
        }

        string table = profile.Read().ToString();

        table.Should().Contain("\nCPU time 4.014 s in 5.000 s; 3 samples; lost 0")
            .And.Contain("\n 74.7 %      3.000 s   74.7 %      3.000 s  F1").And.NotContain("Hz");
    }

    [Theory]
    [InlineData("seconds", 1)]
    [InlineData("s", 1)]
    [InlineData("sec", 1)]
    [InlineData("minutes", 60)]
    [InlineData("Hours", 3_600)]
    public void Long_units_of_time_are_read(string unit, int seconds)
    {
        ForeignProfile profile = ForeignProfile.Of(1, ("cpu", unit));
        profile.Sample([1], [2]);

        profile.Read().ToString().Should().Contain(FormattableString.Invariant($"CPU time {2 * seconds:N3} s"));
    }

    [Fact]
    public void Times_below_half_a_period_are_not_dropped()
    {
        ForeignProfile profile = ForeignProfile.Of(201, ("cpu", "nanoseconds"));
        profile.ValueType(11, "cpu", "nanoseconds");
        profile.Number(12, 10_000_000);
        profile.Sample([201], [200_000_000]);
        for (ulong i = 1; i <= 200; i++)
        {
            profile.Sample([i], [4_000_000]);
        }

        string table = profile.Read().ToString();

        table.Should().Contain("CPU time 1.000 s").And.Contain("\n 20.0 %      0.200 s   20.0 %      0.200 s  F201").And.Contain(" 0.40 %      0.004 s   0.40 %      0.004 s  F1\n");
    }

    /// <summary>The example of issue 63: 400 samples of 9 to 11 ms, at 50 %: 1.96 √(0.5/402) = 6.9 points.</summary>
    [Fact]
    public void The_interval_of_times_has_the_width_of_the_number_of_entries()
    {
        CpuProfileMethodDifference method = new CpuProfileDifference(OfEntries(1), OfEntries(2)).GetMethods().Single(method => method.Frame.Name == "F1");

        method.OwnShareChange.Should().BeInRange(-0.06, 0.06).And.NotBe(0);
        ((method.OwnShareChangeUpper - method.OwnShareChangeLower) / 2).Should().BeApproximately(0.069, 0.0005);
        method.MayBeRandom.Should().BeTrue();

        static CpuProfile OfEntries(int seed)
        {
            Random random = new(seed);
            ForeignProfile profile = ForeignProfile.Of(2, ("cpu", "nanoseconds"));
            for (int i = 0; i < 400; i++)
            {
                profile.Sample([1 + (ulong)random.Next(2)], [(ulong)random.Next(9_000_000, 11_000_000)]);
            }

            return profile.Read();
        }
    }

    [Fact]
    public void A_few_long_samples_make_the_interval_wide()
    {
        ForeignProfile profile = ForeignProfile.Of(2, ("wall", "nanoseconds"));
        profile.Sample([1], [10_000_000_000]);
        for (int i = 0; i < 399; i++)
        {
            profile.Sample([2], [1_000_000]);
        }

        IntervalOf(profile).Should().BeGreaterThan(50, "a single wait determines the share");
    }

    [Fact]
    public void Times_below_100_ns_are_shown()
    {
        ForeignProfile profile = ForeignProfile.Of(1, ("cpu", "nanoseconds"));
        profile.Sample([1], [40]);
        var svg = new StringWriter();

        profile.Read().WriteSvg(svg);

        svg.ToString().Should().Contain("F1 40 ns, 100.0 %");
    }

    [Fact]
    public void Values_have_the_unit_of_the_type_and_the_number_of_samples_may_be_unknown()
    {
        ForeignProfile times = ForeignProfile.Of(1, ("samples", "count"), ("cpu", "nanoseconds"));
        times.Sample([1], [3, 25_000_000]);
        ForeignProfile heap = ForeignProfile.Of(1, ("inuse_space", "bytes"));
        heap.Sample([1], [4096]);

        (CpuProfile cpu, CpuProfile bytes) = (times.Read(), heap.Read());

        (cpu.Value, cpu.SampleUnit, cpu.SampleCount).Should().Be((25_000_000, "nanoseconds", 3));
        (bytes.Value, bytes.SampleUnit, bytes.SampleCount).Should().Be((4096, "bytes", null));
        (bytes.StartTime, bytes.Duration, bytes.Frequency, bytes.CpuUsage).Should().Be((null, null, null, null));
        CpuProfileMethod method = bytes.GetMethods().Should().ContainSingle().Subject;
        (method.OwnValue, method.Value, bytes.Root.Value, bytes.Root.OwnValue).Should().Be((4096, 4096, 4096, 0));
        CpuProfileMethodDifference change = new CpuProfileDifference(bytes, bytes).GetMethods().Single();
        (change.OwnValueBefore, change.OwnValueAfter, change.ValueBefore, change.ValueAfter).Should().Be((4096, 4096, 4096, 4096));
    }

    [Fact]
    public void Times_of_merged_samples_have_no_interval()
    {
        ForeignProfile profile = ForeignProfile.Of(2, ("cpu", "nanoseconds"));
        profile.Sample([1], [2_000_000_123]);
        profile.LabeledSample([2], [1_000_000_000], "thread", 1);
        profile.LabeledSample([2], [1_000_000_000], "thread", 2);

        CpuProfileDifference difference = new(profile.Read(), profile.Read());

        difference.GetMethods().Should().OnlyContain(method => method.OwnShareChangeLower == null && method.OwnShareChangeUpper == null && method.MayBeRandom);
        difference.ToString().Should().Contain("0.00   unknown ").And.NotContain("~").And.NotContain("samples at")
            .And.EndWith("The changes have no confidence interval, because the number of samples is unknown.\n".ReplaceLineEndings());
    }

    [Theory]
    [InlineData("samples")]
    [InlineData("sample")]
    [InlineData("cpu-samples")]
    public void The_number_of_samples_is_read_from_the_type_that_counts_them(string type)
    {
        ForeignProfile profile = ForeignProfile.Of(2, ("cpu-time", "nanoseconds"), (type, "count"), ("wall-time", "nanoseconds"));
        profile.TextNumber(14, "cpu-time");
        profile.Sample([1], [2_000_000_123, 200, 0]);
        profile.Sample([2], [2_000_000_000, 200, 0]);

        IntervalOf(profile).Should().BeApproximately(6.9, 0.05);
        profile.Read().ToString().Should().Contain("cpu-time 4.000 s; 400 samples");
    }

    [Fact]
    public void An_entry_with_a_time_and_a_count_of_0_is_a_sample()
    {
        ForeignProfile profile = ForeignProfile.Of(2, ("samples", "count"), ("cpu-time", "nanoseconds"));
        profile.Sample([1], [0, 2_000_000_000]);
        profile.Sample([2], [1, 2_000_000_000]);

        profile.Read().ToString().Should().Contain("cpu-time 4.000 s; 2 samples");
        profile.Read().Data.Size.Should().Be(new SampleSize(2, 2));
    }

    [Fact]
    public void Entries_with_timestamps_are_samples()
    {
        ForeignProfile profile = ForeignProfile.Of(2, ("cpu", "nanoseconds"));
        profile.LabeledSample([1], [10_000_000], "end_timestamp_ns", 1_700_000_000_000_000_000, "thread");
        profile.LabeledSample([2], [10_000_000], "end_timestamp_ns", 1_700_000_000_010_000_000, "thread");

        profile.Read().ToString().Should().Contain("CPU time 0.020 s; 2 samples");
    }

    [Fact]
    public void The_default_sample_type_is_shown_or_otherwise_the_last_one()
    {
        foreach ((string type, string shown, double share) in new[] { ("inuse_space", "inuse_space 100 B", 100.0), ("alloc_objects", "alloc_objects 1,000", 1.0), ("", "inuse_space 100 B", 100.0), ("other", "inuse_space 100 B", 100.0) })
        {
            ForeignProfile heap = Heap();
            heap.TextNumber(14, type);

            string difference = new CpuProfileDifference(heap.Read(), heap.Read()).ToString();

            difference.Should().Contain(shown).And.Contain(FormattableString.Invariant($"{share,5:0.0} %  {share,5:0.0} %     0.00   unknown             {share,5:0.0} %  {share,5:0.0} %  F2"));
        }
    }

    [Fact]
    public void Bytes_and_contentions_are_not_called_samples_or_CPU_time()
    {
        ForeignProfile mutex = ForeignProfile.Of(1, ("delay", "nanoseconds"), ("contentions", "count"));
        mutex.ValueType(11, "contentions", "count");
        mutex.Number(12, 1);
        mutex.Sample([1], [5_000, 12]);
        foreach ((CpuProfile profile, string shown, string tooltip) in new[] { (Heap().Read(), "inuse_space 100 B", "100 B, 100.0 %"), (mutex.Read(), "contentions 12", "12, 100.0 %") })
        {
            (string table, string picture, string page) = (profile.ToString(), Text(profile.WriteSvg), Text(profile.WriteHtml));
            string difference = new CpuProfileDifference(profile, profile).ToString();

            table.Should().Contain(shown).And.NotContain("samples").And.NotContain("CPU").And.NotContain("Hz").And.NotContain(" s ");
            difference.Replace("number of samples is unknown", "", StringComparison.Ordinal).Should().Contain(shown).And.NotContain("samples").And.NotContain("CPU");
            picture.Should().Contain(shown).And.Contain(tooltip).And.NotContain("samples").And.NotContain("CPU").And.NotContain("user mode");
            string head = page[page.IndexOf("<header>", StringComparison.Ordinal)..page.IndexOf("</dl>", StringComparison.Ordinal)];
            head.Should().Contain(shown.Split(' ')[0] + " profile").And.NotContain("CPU").And.NotContain("Hz").And.NotContain("user mode");
        }
    }

    [Fact]
    public void A_period_without_a_whole_frequency_has_exact_times()
    {
        ForeignProfile profile = ForeignProfile.Of(1, ("samples", "count"), ("cpu", "nanoseconds"));
        profile.ValueType(11, "cpu", "milliseconds");
        profile.Number(12, 15);
        profile.Sample([1], [1_000, 15_000_000_000]);

        profile.Read().ToString().Should().Contain("CPU time 15.000 s; 1,000 samples");
    }

    [Fact]
    public void A_period_of_more_than_a_second_is_read()
    {
        ForeignProfile profile = ForeignProfile.Of(1, ("samples", "count"));
        profile.ValueType(11, "cpu", "seconds");
        profile.Number(12, 3);
        profile.Sample([1], [5]);

        profile.Read().ToString().Should().Contain("CPU time 15.000 s; 5 samples");
    }

    [Fact]
    public void Samples_without_a_period_have_no_times()
    {
        ForeignProfile profile = ForeignProfile.Of(1, ("samples", "count"));
        profile.ValueType(11, "cycles", "count");
        profile.Number(12, 1_000_000);
        profile.Sample([1], [1_234]);

        string table = profile.Read().ToString();

        table.Should().Contain("1,234 samples of cycles; lost").And.Contain("100.0 %        1,234  100.0 %        1,234  F1").And.NotContain("Hz").And.NotContain("time");
    }

    [Fact]
    public void Samples_of_wall_time_are_not_CPU_time()
    {
        ForeignProfile profile = ForeignProfile.Of(1, ("sample", "count"), ("wall", "microseconds"));
        profile.ValueType(11, "wall", "microseconds");
        profile.Number(12, 10_000);
        profile.Sample([1], [400, 4_000_000]);

        CpuProfile read = profile.Read();

        (read.SampleCount, read.Frequency, read.CpuUsage).Should().Be((400, 100, null));
        read.ToString().Should().Contain("400 samples at 100 Hz; wall 4.000 s").And.NotContain("CPU");
        Text(read.WriteSvg).Should().Contain("Flame graph (wall)").And.NotContain("CPU").And.NotContain("user mode");
    }

    [Fact]
    public void The_CPU_time_of_another_tool_is_not_divided_into_user_and_kernel()
    {
        ForeignProfile profile = ForeignProfile.Of(1, ("samples", "count"), ("cpu", "nanoseconds"));
        profile.ValueType(11, "cpu", "nanoseconds");
        profile.Number(12, 10_000_000);
        profile.Sample([1], [400, 4_000_000_000]);

        profile.Read().ToString().Should().Contain("400 samples at 100 Hz; CPU time of the samples 4.000 s").And.NotContain("user").And.NotContain("kernel");
    }

    [Fact]
    public void Profiles_of_different_types_cannot_be_compared()
    {
        ForeignProfile wall = ForeignProfile.Of(1, ("wall", "milliseconds"));
        wall.Sample([1], [5]);
        ForeignProfile bytes = ForeignProfile.Of(1, ("wall", "bytes"));
        bytes.Sample([1], [5]);
        ForeignProfile objects = Heap();
        objects.TextNumber(14, "alloc_objects");
        CpuProfile cpu = Profiles.Of("Main 1");

        Comparing(cpu, Heap().Read()).Should().Throw<ArgumentException>().WithMessage("The profiles cannot be compared, because they show CPU time and inuse_space (bytes).*");
        Comparing(wall.Read(), cpu).Should().Throw<ArgumentException>().WithMessage("*wall (nanoseconds) and CPU time.*");
        Comparing(wall.Read(), bytes.Read()).Should().Throw<ArgumentException>().WithMessage("*wall (nanoseconds) and wall (bytes).*");
        Comparing(Heap().Read(), objects.Read()).Should().Throw<ArgumentException>().WithMessage("*inuse_space (bytes) and alloc_objects (count).*");

        static Func<object> Comparing(CpuProfile before, CpuProfile after) => () => new CpuProfileDifference(before, after);
    }

    [Fact]
    public void Samples_and_times_in_different_units_are_compared()
    {
        ForeignProfile milliseconds = ForeignProfile.Of(2, ("cpu", "milliseconds"));
        ForeignProfile nanoseconds = ForeignProfile.Of(2, ("cpu", "nanoseconds"));
        for (int i = 0; i < 400; i++)
        {
            milliseconds.Sample([1 + (ulong)(i % 2)], [11]);
            nanoseconds.Sample([1 + (ulong)(i % 4 == 0 ? 0 : 1)], [9_000_000]);
        }

        new CpuProfileDifference(milliseconds.Read(), nanoseconds.Read()).ToString().Should().Contain(" 50.0 %   25.0 %   -25.00    -31.35 to  -18.41   50.0 %   25.0 %  F1");
        new CpuProfileDifference(Profiles.Of("F1 100"), nanoseconds.Read()).GetMethods().Should().HaveCount(3, "the module of F1 differs");
    }

    [Fact]
    public void Dropped_frames_are_not_shown()
    {
        ForeignProfile profile = ForeignProfile.Of(4, ("samples", "count"));
        profile.Function(10, ".std::alloc(int)", "", ""); // a dot before the name, as on PowerPC
        profile.Function(11, "std::keep", "", "");
        profile.Location(10, 0, 10, 10);
        profile.Location(11, 0, 11, 1, 10, 2); // F1, inlined into alloc, inlined into F2
        profile.Location(12, 0, 12, 11);
        profile.TextNumber(7, "std::.*|F4");
        profile.TextNumber(8, "std::keep");
        profile.Sample([1, 10, 3], [1]); // F3 > alloc > F1
        profile.Sample([3, 11, 3], [2]); // F3 > F2 > alloc > F1 > F3
        profile.Sample([12, 1], [4]); // F1 > keep
        profile.Sample([2, 4], [8]); // F4 > F2: there is no other caller
        profile.Sample([10], [16]);

        profile.Read().Data.GetStacks().Select(stack => (string.Join(" > ", stack.Stack.Select(frame => frame.Name)), stack.Count)).Should().BeEquivalentTo(
            [("F3", 1L), ("F3 > F2", 2L), ("F1 > std::keep", 4L), ("F4 > F2", 8L), (".std::alloc(int)", 16L)]);
    }

    [Theory]
    [InlineData("(")]
    [InlineData("(?<=a)b")]
    public void A_pattern_of_dropped_frames_that_is_not_valid_is_rejected(string pattern)
    {
        ForeignProfile profile = ForeignProfile.Of(1, ("samples", "count"));
        profile.TextNumber(7, pattern);
        profile.Sample([1], [1]);

        profile.Invoking(one => one.Read()).Should().Throw<InvalidDataException>().WithMessage("*is not a supported regular expression.");
    }

    [Theory]
    [InlineData("hours", 1_000_000_000_000)]
    [InlineData("nanoseconds", long.MaxValue - 1)]
    public void A_sum_that_is_too_large_is_rejected(string unit, long value)
    {
        ForeignProfile profile = ForeignProfile.Of(1, ("cpu", unit));
        profile.Sample([1], [(ulong)value]);
        profile.Sample([1], [2]);

        profile.Invoking(one => one.Read()).Should().Throw<InvalidDataException>().WithMessage("*the sum of its values is more than 9223372036854775807.");
    }

    [Fact]
    public void Profiles_of_each_unit_round_trip()
    {
        ForeignProfile times = ForeignProfile.Of(2, ("wall", "microseconds"));
        times.Sample([1], [10_000]);
        times.Sample([1], [10_500]);
        times.Sample([2], [1_000_000]);
        ForeignProfile cycles = ForeignProfile.Of(1, ("samples", "count"));
        cycles.ValueType(11, "cycles", "count");
        cycles.Sample([1], [12]);
        foreach (CpuProfile profile in new[] { times.Read(), cycles.Read(), Heap().Read(), ForeignProfile.Of(1, ("", "")).Read() })
        {
            CpuProfile read = Read(Written(profile));

            Json(read).Should().Be(Json(profile));
            read.ToString().Should().Be(profile.ToString());
            new CpuProfileDifference(read, read).ToString().Should().Be(new CpuProfileDifference(profile, profile).ToString());
        }
    }

    [FactNeeding(Need.Cultures)]
    public void Units_are_read_in_any_culture()
    {
        CultureInfo before = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = new CultureInfo("tr-TR");
            ForeignProfile profile = ForeignProfile.Of(1, ("cpu", "MILLISECONDS"));
            profile.Sample([1], [1_500]);

            profile.Read().ToString().Should().Contain("CPU time 1.500 s");
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    /// <summary>A profile as Go writes it: function F1 has allocated many small objects, and F2 uses all the memory.</summary>
    private static ForeignProfile Heap()
    {
        ForeignProfile heap = ForeignProfile.Of(2, ("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes"));
        heap.ValueType(11, "space", "bytes");
        heap.Number(12, 524_288);
        heap.Sample([1], [990, 15_840, 0, 0]);
        heap.Sample([2], [10, 10_000, 1, 100]);
        return heap;
    }

    /// <summary>Returns half the width of the interval of the first function, in points, if the profile is compared with itself.</summary>
    private static double IntervalOf(ForeignProfile profile)
    {
        CpuProfileMethodDifference method = new CpuProfileDifference(profile.Read(), profile.Read()).GetMethods().Single(method => method.Frame.Name == "F1");
        return 50 * (method.OwnShareChangeUpper - method.OwnShareChangeLower)!.Value;
    }

    private static string Text(Action<TextWriter> write)
    {
        using StringWriter text = new() { NewLine = "\n" };
        write(text);
        return text.ToString();
    }
}
