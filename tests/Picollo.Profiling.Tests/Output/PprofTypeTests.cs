using System.Globalization;
using static Picollo.Profiling.Tests.Profiles;

namespace Picollo.Profiling.Tests.Output;

/// <summary>Sample types and units of other tools. tests/Picollo.Peers.Tests compares them with <c>go tool pprof</c>.</summary>
public class PprofTypeTests
{
    [Fact]
    public void Times_without_a_period_are_summed_in_their_unit()
    {
        foreach ((int period, string unit, int unitsPerMillisecond) in new[]
        {
            (0, "nanoseconds", 1_000_000), (1, "nanoseconds", 1_000_000), (0, "ns", 1_000_000), (1, "microseconds", 1_000),
            (0, "us", 1_000),
            (0, "\u00b5s", 1_000), (0, "\u03bcs", 1_000), (1, "milliseconds", 1), (0, "millisecond", 1), (0, "ms", 1),
        })
        {
            ForeignProfile profile = ForeignProfile.Of(2, ("cpu", unit)).Period("cpu", unit, (ulong)period).Number(10, 5_000_000_000);
            foreach ((ulong function, int milliseconds) in new[] { (1UL, 1_000), (1UL, 2_000), (2UL, 1_014) })
            {
                profile.Sample([function], [(ulong)(milliseconds * unitsPerMillisecond)]);
            }

            profile.Read().ToString().Should().Contain("\nCPU time 4.014 s in 5.000 s; 3 samples; lost 0")
                .And.Contain("\n 74.7 %      3.000 s   74.7 %      3.000 s  F1").And.NotContain("Hz");
        }

        foreach ((string unit, int seconds) in new[] { ("seconds", 1), ("s", 1), ("sec", 1), ("minutes", 60), ("Hours", 3_600) })
        {
            ForeignProfile.Of(1, ("cpu", unit)).Sample([1], [2]).Read().ToString()
                .Should().Contain(FormattableString.Invariant($"CPU time {2 * seconds:N3} s"));
        }
    }

    /// <summary>Profiles, the text in their tables, and text that is not in it.</summary>
    public static TheoryData<string, ForeignProfile, string[], string[]> Tables => new()
    {
        {
            "times below half a period", Enumerable.Range(1, 200).Aggregate(
                ForeignProfile.Of(201, ("cpu", "nanoseconds")).Period("cpu", "nanoseconds", 10_000_000).Sample([201], [200_000_000]),
                (profile, i) => profile.Sample([(ulong)i], [4_000_000])),
            ["CPU time 1.000 s", " 0.40 %      0.004 s   0.40 %      0.004 s  F1\n", "\n 20.0 %      0.200 s   20.0 %      0.200 s  F201"], []
        },
        {
            "a time with a count of 0", ForeignProfile.Of(2, ("samples", "count"), ("cpu-time", "nanoseconds"))
                .Sample([1], [0, 2_000_000_000])
                .Sample([2], [1, 2_000_000_000]),
            ["cpu-time 4.000 s; 2 samples"], []
        },
        {
            "entries with timestamps", ForeignProfile.Of(2, ("cpu", "nanoseconds"))
                .LabeledSample([1], [10_000_000], "end_timestamp_ns", 1_700_000_000_000_000_000, "thread")
                .LabeledSample([2], [10_000_000], "end_timestamp_ns", 1_700_000_000_010_000_000, "thread"),
            ["CPU time 0.020 s; 2 samples"], []
        },
        {
            "a period without a whole frequency", ForeignProfile.Of(1, ("samples", "count"), ("cpu", "nanoseconds")).Period("cpu",
            "milliseconds", 15)
                .Sample([1], [1_000, 15_000_000_000]),
            ["CPU time 15.000 s; 1,000 samples"], []
        },
        {
            "a period of more than a second", ForeignProfile.Of(1, ("samples", "count")).Period("cpu", "seconds", 3).Sample([1], [5]),
            ["CPU time 15.000 s; 5 samples"], []
        },
        {
            "samples without a period", ForeignProfile.Of(1, ("samples", "count")).Period("cycles", "count", 1_000_000)
                .Sample([1], [1_234]),
            ["1,234 samples of cycles; lost", "100.0 %        1,234  100.0 %        1,234  F1"], ["Hz", "time"]
        },
        {
            "the CPU time of another tool", ForeignProfile.Of(1, ("samples", "count"), ("cpu", "nanoseconds")).Period("cpu",
            "nanoseconds", 10_000_000)
                .Sample([1], [400, 4_000_000_000]),
            ["400 samples at 100 Hz; CPU time of the samples 4.000 s"], ["user", "kernel"]
        },
    };

    [Theory]
    [MemberData(nameof(Tables))]
    public void A_table_has_the_times_and_the_number_of_samples(string profile, ForeignProfile foreign, string[] contained, string[] excluded)
    {
        string table = foreign.Read().ToString();

        table.Should().ContainAll(contained, profile);
        excluded.Should().NotContain(text => table.Contains(text, StringComparison.Ordinal), profile);
    }

    /// <summary>The example of issue 63: 400 samples of 9 to 11 ms, at 50 %: 1.96 √(0.5/402) = 6.9 points.</summary>
    [Fact]
    public void The_interval_of_times_has_the_width_of_the_number_of_entries()
    {
        CpuProfileMethodDifference method = new CpuProfileDifference(OfEntries(1), OfEntries(2)).GetMethods().Single(method => method.Frame.Name == "F1");

        method.OwnShareChange.Should().BeInRange(-0.06, 0.06).And.NotBe(0);
        ((method.OwnShareChangeUpper - method.OwnShareChangeLower) / 2).Should().BeApproximately(0.069, 0.0005);
        method.MayBeRandom.Should().BeTrue();
        IntervalOf(ForeignProfile.Of(2, ("wall", "nanoseconds")).Sample([1], [10_000_000_000]).Samples(399, [2], 1_000_000))
            .Should().BeGreaterThan(50, "a single wait determines the share");

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
    public void Values_have_the_unit_of_the_type_and_the_number_of_samples_may_be_unknown()
    {
        CpuProfile cpu = ForeignProfile.Of(1, ("samples", "count"), ("cpu", "nanoseconds")).Sample([1], [3, 25_000_000]).Read();
        CpuProfile bytes = ForeignProfile.Of(1, ("inuse_space", "bytes")).Sample([1], [4096]).Read();

        (cpu.Value, cpu.SampleUnit, cpu.SampleCount).Should().Be((25_000_000, "nanoseconds", 3));
        (bytes.Value, bytes.SampleUnit, bytes.SampleCount).Should().Be((4096, "bytes", null));
        (bytes.StartTime, bytes.Duration, bytes.Frequency, bytes.CpuUsage).Should().Be((null, null, null, null));
        CpuProfileMethod method = bytes.GetMethods().Should().ContainSingle().Subject;
        (method.OwnValue, method.Value, bytes.Root.Value, bytes.Root.OwnValue).Should().Be((4096, 4096, 4096, 0));
        CpuProfileMethodDifference change = new CpuProfileDifference(bytes, bytes).GetMethods().Single();
        (change.OwnValueBefore, change.OwnValueAfter, change.ValueBefore, change.ValueAfter).Should().Be((4096, 4096, 4096, 4096));
        Text(ForeignProfile.Of(1, ("cpu", "nanoseconds")).Sample([1], [40]).Read().WriteSvg).Should().Contain("F1 40 ns, 100.0 %");
    }

    [Fact]
    public void Times_of_merged_samples_have_no_interval()
    {
        CpuProfile profile = ForeignProfile.Of(2, ("cpu", "nanoseconds")).Sample([1], [2_000_000_123])
            .LabeledSample([2], [1_000_000_000], "thread", 1).LabeledSample([2], [1_000_000_000], "thread", 2).Read();

        CpuProfileDifference difference = new(profile, profile);

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
        ForeignProfile profile = ForeignProfile.Of(2, ("cpu-time", "nanoseconds"), (type, "count"), ("wall-time", "nanoseconds"))
            .TextNumber(14, "cpu-time").Sample([1], [2_000_000_123, 200, 0]).Sample([2], [2_000_000_000, 200, 0]);

        IntervalOf(profile).Should().BeApproximately(6.9, 0.05);
        profile.Read().ToString().Should().Contain("cpu-time 4.000 s; 400 samples");
    }

    [Fact]
    public void The_default_sample_type_is_shown_or_otherwise_the_last_one()
    {
        foreach ((string type, string shown, double share) in new[]
        {
            ("inuse_space", "inuse_space 100 B", 100.0), ("alloc_objects", "alloc_objects 1,000", 1.0), ("", "inuse_space 100 B", 100.0),
            ("other", "inuse_space 100 B", 100.0),
        })
        {
            CpuProfile heap = Heap().TextNumber(14, type).Read();

            new CpuProfileDifference(heap, heap).ToString().Should().Contain(shown).And.Contain(FormattableString.Invariant(
                $"{share,5:0.0} %  {share,5:0.0} %     0.00   unknown             {share,5:0.0} %  {share,5:0.0} %  F2"));
        }
    }

    [Fact]
    public void Bytes_contentions_and_wall_time_are_not_called_samples_or_CPU_time()
    {
        CpuProfile mutex = ForeignProfile.Of(1, ("delay", "nanoseconds"), ("contentions", "count")).Period("contentions", "count", 1)
            .Sample([1], [5_000, 12]).Read();
        foreach ((CpuProfile profile, string shown, string tooltip) in new[] { (Heap().Read(), "inuse_space 100 B", "100 B, 100.0 %"), (mutex, "contentions 12", "12, 100.0 %") })
        {
            (string table, string picture, string page) = (profile.ToString(), Text(profile.WriteSvg), Text(profile.WriteHtml));
            string difference = new CpuProfileDifference(profile, profile).ToString();

            table.Should().Contain(shown).And.NotContainAny("samples", "CPU", "Hz", " s ");
            difference.Replace("number of samples is unknown", "", StringComparison.Ordinal)
                .Should().Contain(shown).And.NotContainAny("samples", "CPU");
            picture.Should().Contain(shown).And.Contain(tooltip).And.NotContainAny("samples", "CPU", "user mode");
            string head = page[page.IndexOf("<header>", StringComparison.Ordinal)..page.IndexOf("</dl>", StringComparison.Ordinal)];
            head.Should().Contain(shown.Split(' ')[0] + " profile").And.NotContainAny("CPU", "Hz", "user mode");
        }

        CpuProfile wall = ForeignProfile.Of(1, ("sample", "count"), ("wall", "microseconds")).Period("wall", "microseconds", 10_000)
            .Sample([1], [400, 4_000_000]).Read();
        (wall.SampleCount, wall.Frequency, wall.CpuUsage).Should().Be((400, 100, null));
        wall.ToString().Should().Contain("400 samples at 100 Hz; wall 4.000 s").And.NotContain("CPU");
        Text(wall.WriteSvg).Should().Contain("Flame graph (wall)").And.NotContainAny("CPU", "user mode");
    }

    [Fact]
    public void Profiles_of_different_types_cannot_be_compared()
    {
        CpuProfile wall = ForeignProfile.Of(1, ("wall", "milliseconds"))
            .Sample([1], [5]).Read(), bytes = ForeignProfile.Of(1, ("wall", "bytes")).Sample([1], [5]).Read();
        CpuProfile cpu = Of("Main 1"), heap = Heap().Read(), objects = Heap().TextNumber(14, "alloc_objects").Read();
        foreach ((CpuProfile before, CpuProfile after, string message) in new[]
        {
            (cpu, heap, "The profiles cannot be compared, because they show CPU time and inuse_space (bytes).*"),
            (wall, cpu, "*wall (nanoseconds) and CPU time.*"),
            (wall, bytes, "*wall (nanoseconds) and wall (bytes).*"), (heap, objects, "*inuse_space (bytes) and alloc_objects (count).*"),
        })
        {
            FluentActions.Invoking(() => new CpuProfileDifference(before, after)).Should().Throw<ArgumentException>().WithMessage(message);
        }
    }

    [Fact]
    public void Samples_and_times_in_different_units_are_compared()
    {
        ForeignProfile milliseconds = ForeignProfile.Of(2, ("cpu", "milliseconds")).Samples(200, [1], 11).Samples(200, [2], 11);
        CpuProfile nanoseconds = ForeignProfile.Of(2, ("cpu", "nanoseconds")).Samples(100, [1], 9_000_000).Samples(300, [2], 9_000_000).Read();

        new CpuProfileDifference(milliseconds.Read(), nanoseconds).ToString()
            .Should().Contain(" 50.0 %   25.0 %   -25.00    -31.35 to  -18.41   50.0 %   25.0 %  F1");
        new CpuProfileDifference(Of("F1 100"), nanoseconds).GetMethods().Should().HaveCount(3, "the module of F1 differs");
    }

    [Fact]
    public void Dropped_frames_are_not_shown()
    {
        ForeignProfile profile = ForeignProfile.Of(4, ("samples", "count"))
            .Function(10, ".std::alloc(int)") // a dot before the name, as on PowerPC
            .Function(11, "std::keep")
            .Location(10, 0, 10, 10)
            .Location(11, 0, 11, 1, 10, 2) // F1, inlined into alloc, inlined into F2
            .Location(12, 0, 12, 11)
            .TextNumber(7, "std::.*|F4").TextNumber(8, "std::keep")
            .Sample([1, 10, 3], [1]) // F3 > alloc > F1
            .Sample([3, 11, 3], [2]) // F3 > F2 > alloc > F1 > F3
            .Sample([12, 1], [4]) // F1 > keep
            .Sample([2, 4], [8]) // F4 > F2: there is no other caller
            .Sample([10], [16]);

        profile.Read().Data.GetStacks().Select(stack => (string.Join(" > ", stack.Stack.Select(frame => frame.Name)), stack.Count)).Should().BeEquivalentTo(
            [("F3", 1L), ("F3 > F2", 2L), ("F1 > std::keep", 4L), ("F4 > F2", 8L), (".std::alloc(int)", 16L)]);
    }

    [Fact]
    public void Invalid_patterns_of_dropped_frames_and_sums_that_are_too_large_are_rejected()
    {
        foreach (string pattern in (string[])["(", "(?<=a)b"])
        {
            ForeignProfile.Of(1, ("samples", "count")).TextNumber(7, pattern).Sample([1], [1])
                .Invoking(one => one.Read()).Should().Throw<InvalidDataException>().WithMessage("*is not a supported regular expression.");
        }

        foreach ((string unit, long value) in new[] { ("hours", 1_000_000_000_000), ("nanoseconds", long.MaxValue - 1) })
        {
            ForeignProfile.Of(1, ("cpu", unit)).Sample([1], [(ulong)value]).Sample([1], [2])
                .Invoking(one => one.Read())
                .Should().Throw<InvalidDataException>().WithMessage("*the sum of its values is more than 9223372036854775807.");
        }
    }

    [FactNeeding(Need.Cultures)]
    public void Units_are_read_in_any_culture()
    {
        CultureInfo before = CultureInfo.CurrentCulture;
        CultureInfo.CurrentCulture = Cultures.Turkish;
        string table = ForeignProfile.Of(1, ("cpu", "MILLISECONDS")).Sample([1], [1_500]).Read().ToString();
        CultureInfo.CurrentCulture = before;

        table.Should().Contain("CPU time 1.500 s");
    }

    /// <summary>A profile as Go writes it: function F1 has allocated many small objects, and F2 uses all the memory.</summary>
    private static ForeignProfile Heap() => ForeignProfile
        .Of(2, ("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes"))
        .Period("space", "bytes", 524_288).Sample([1], [990, 15_840, 0, 0]).Sample([2], [10, 10_000, 1, 100]);

    /// <summary>Returns half the width of the interval of the first function, in points, if the profile is compared with itself.</summary>
    private static double IntervalOf(ForeignProfile profile)
    {
        CpuProfileMethodDifference method = new CpuProfileDifference(profile.Read(), profile.Read()).GetMethods().Single(method => method.Frame.Name == "F1");
        return 50 * (method.OwnShareChangeUpper - method.OwnShareChangeLower)!.Value;
    }
}
