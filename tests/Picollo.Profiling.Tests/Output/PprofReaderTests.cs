using System.IO.Compression;
using Picollo.Cpu;
using static Picollo.Profiling.Tests.Profiles;

namespace Picollo.Profiling.Tests.Output;

/// <summary>Reading pprof profiles. tests/Picollo.Peers.Tests reads those of Go.</summary>
public class PprofReaderTests
{
    [Fact]
    public void Profiles_round_trip()
    {
        CpuProfile profile = new(new ProfileData(RootOf(
            ([Managed("Main"), new CpuProfileFrame("libx.so+0x12", "libx.so", CpuProfileFrameKind.Unnamed)], 5),
            ([new CpuProfileFrame("a (process 7)", "", CpuProfileFrameKind.Group), new CpuProfileFrame("do_idle", "[kernel]", CpuProfileFrameKind.Kernel)], 1),
            ([Managed("Main"), Managed("Main")], 3)))
        {
            Title = "app (process 42)",
            StartTime = new DateTime(2026, 11, 25, 12, 0, 0, 500, DateTimeKind.Utc).AddTicks(7),
            Duration = TimeSpan.FromTicks(25_000_003),
            Frequency = 99,
            EventName = "cycles",
            IncludesKernel = true,
            CpuUsage = new CpuUsage(1_500_000_001, 250_000_000),
            LostSampleCount = 2,
            Notes = ["A note.", "Another."],
        });

        CpuProfile read = RoundTrip(profile);

        Json(read).Should().Be(Json(profile));
        read.StartTime.Should().Be(profile.StartTime);
        read.StartTime!.Value.Offset.Should().Be(TimeSpan.Zero);

        foreach (int frequency in (int[])[1, 49, 997, 9_999, CpuProfilerOptions.MaxFrequency])
        {
            RoundTrip(new CpuProfile(new ProfileData(RootOf()) { Frequency = frequency })).Frequency.Should().Be(frequency);
        }

        Json(RoundTrip(new CpuProfile(new ProfileData(RootOf())))).Should().Be(Json(new CpuProfile(new ProfileData(RootOf()))));
        RoundTrip(OfFrames(([], 3))).Root.OwnValue.Should().Be(3);
    }

    [Fact]
    public void Any_profile_round_trips() => Seeded.Run(100, random =>
    {
        CpuProfile profile = Profiles.Random(random);

        CpuProfile read = RoundTrip(profile);

        read.Data.GetStacks().Select(Line).Should().Equal(profile.Data.GetStacks().Select(Line));
        read.Title.Should().Be(profile.Title);

        static string Line((IReadOnlyList<CpuProfileFrame> Stack, long Count) one) =>
            string.Join('\n', one.Stack.Select(frame => $"{frame.Name}@{frame.Module}@{frame.Kind}")) + one.Count;
    });

    [Fact]
    public void The_stream_is_read_to_its_end_and_remains_open_with_and_without_gzip()
    {
        foreach (byte[] bytes in new[] { Written(Of("Main 1")), Decompressed(Of("Main 1")) })
        {
            using MemoryStream stream = new(bytes);
            CpuProfile.ReadPprof(stream).SampleCount.Should().Be(1);
            stream.Position.Should().Be(bytes.Length);
        }
    }

    [Fact]
    public void A_profile_of_another_tool_has_inlined_functions_addresses_and_the_modules_of_mappings()
    {
        CpuProfile profile = new ForeignProfile().SampleType("samples", "count").SampleType("cpu", "nanoseconds").Period("cpu", "nanoseconds", 10_000_000)
            .Mapping(1, 0x400000, 0, "/usr/bin/app").Mapping(2, 0x7f00_0000, 0x1000, "/usr/lib/libc.so.6")
            .Function(1, "main.main", "main.main", "/src/main.go").Function(2, "", "_Zinner").Function(3, "memcpy")
            .Location(1, 1, 0x400010, 2, 1).Location(2, 2, 0x7f00_0020, 3).Location(3, 2, 0x7f00_0030).Location(4, 0, 0xffff_ffff_8000_0001)
            .Sample([2, 1], [3, 30_000_000]).Sample([3, 1], [2, 20_000_000], isPacked: false).Sample([4], [1, 10_000_000])
            .Sample([4, 4], [0, 0])
            .TextNumber(13, "A comment.").TextNumber(13, "Another.").Read();

        profile.Data.GetStacks().Select(stack => (string.Join(" > ", stack.Stack.Select(frame => $"{frame.Name}@{frame.Module} {frame.Kind}")), stack.Count)).Should().Equal(
            ("main.main@ Native > _Zinner@ Native > memcpy@libc.so.6 Native", 3),
            ("main.main@ Native > _Zinner@ Native > libc.so.6+0x1030@libc.so.6 Unnamed", 2),
            ("0xffffffff80000001@ Unnamed", 1));
        (profile.Title, profile.Frequency, profile.SampleType, profile.SampleUnit, profile.EventName).Should().Be(("app", 100, "cpu", "samples", ""));
        profile.UnnamedValue.Should().Be(3);
        profile.Notes.Should().Equal("A comment.", "Another.");
    }

    [Fact]
    public void A_kind_of_code_of_a_later_version_is_a_group() => Samples() // text 1 is also the name of the function
        .Raw(0x2A, 7, 0x08, 1, 0x10, 1, 0xC0, 0x3E, 9) // Function { id: 1, name: 1, 1000: 9 }
        .Location(1, 0, 0, 1).Sample([1], [1]).Read().Root.Children
        .Should().ContainSingle().Which.Frame.Kind.Should().Be(CpuProfileFrameKind.Group);

    [Fact]
    public void Times_are_converted_to_samples_if_there_are_no_counts() => new ForeignProfile().SampleType("cpu", "nanoseconds")
        .Period("cpu", "nanoseconds", 10_000_000).Location(1, 0, 0x10).Sample([1], [70_000_000]).Read().SampleCount.Should().Be(7);

    [Fact]
    public void Another_sample_type_can_be_read()
    {
        byte[] foreign = ForeignProfile.Of(1, ("alloc_objects", "count"), ("alloc_space", "bytes")).Sample([1], [3, 700]).ToBytes();

        CpuProfile profile = CpuProfile.ReadPprof(new MemoryStream(foreign), "alloc_objects");

        (profile.SampleType, profile.SampleUnit, profile.Value).Should().Be(("alloc_objects", "count", 3));
        FluentActions.Invoking(() => CpuProfile.ReadPprof(new MemoryStream(foreign), "cpu")).Should().Throw<InvalidDataException>()
            .WithMessage("The profile has no sample type 'cpu'. Its types are: alloc_objects, alloc_space.");
        CpuProfile.ReadPprof(new MemoryStream(Written(Of("Main 7"))), "cpu").SampleCount
            .Should().Be(7, "the CPU time is that of the samples");
    }

    [Fact]
    public void Equal_stacks_are_added_up() => Samples().Function(1, "main").Function(2, "work")
        .Location(1, 0, 0x10, 1).Location(2, 0, 0x20, 2).Location(3, 0, 0x24, 2) // another address of the same function
        .Sample([2, 1], [3]).Sample([1], [5]).Sample([3, 1], [10]).Sample([2, 1], [100]).Sample([1], [1000])
        .Read().Data.GetStacks().Select(stack => (string.Join(" > ", stack.Stack.Select(frame => frame.Name)), stack.Count))
        .Should().BeEquivalentTo([("main", 1005L), ("main > work", 113L)]);

    /// <summary>Field 15 is unknown, so that its first byte is 0x78 plus the wire type.</summary>
    [Theory]
    [InlineData(new byte[] { 0x78, 0xFF, 0xFF, 0x7F })]
    [InlineData(new byte[] { 0x79, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF })]
    [InlineData(new byte[] { 0x7A, 3, 0xFF, 0xFF, 0xFF })]
    [InlineData(new byte[] { 0x7D, 0xFF, 0xFF, 0xFF, 0xFF })]
    public void Unknown_fields_of_each_type_are_skipped(byte[] unknown) =>
        Samples().Location(1, 0, 0x10).Raw(unknown).Sample([1], [3]).Raw(unknown).Sample([1, 1], [4]).Raw(unknown)
            .Read().Data.GetStacks().Select(stack => (stack.Stack.Count, stack.Count)).Should().BeEquivalentTo([(1, 3L), (2, 4L)]);

    [Fact]
    public void Control_characters_in_names_of_other_programs_are_replaced()
    {
        CpuProfile profile = Samples().Mapping(1, 0, 0, "a\e[1m").Function(1, "x\u202ey\n").Location(1, 1, 0, 1)
            .Sample([1], [1]).ValueType(11, "e\e[2J", "").Read();

        (profile.Title, profile.GetMethods().Single().Frame.Name, profile.SampleType).Should().Be(("a?[1m", "x?y?", "e?[2J"));
    }

    public static TheoryData<string, Action<ForeignProfile>> Damages => new()
    {
        { "a sample has 2 values for 1 types", profile => profile.Sample([], [1, 2]) },
        { "a sample has a negative value", profile => profile.Sample([], [unchecked((ulong)-1)]) },
        { "location 7 does not exist", profile => profile.Sample([7], [1]) },
        { "function 7 does not exist", profile => profile.Location(1, 0, 0, 7).Sample([1], [1]) },
        { "mapping 7 does not exist", profile => profile.Location(1, 7, 0).Sample([1], [1]) },
        { "string 99 does not exist", profile => profile.Number(13, 99) },
        { "a location has an invalid or duplicate ID: 1", profile => profile.Location(1, 0, 0).Location(1, 0, 0) },
        { "a function has an invalid or duplicate ID: 0", profile => profile.Function(0, "") },
        { "a stack has more than 65,536 frames", profile => profile.Location(1, 0, 0).Sample([.. Enumerable.Repeat(1UL, 65_537)], [1]) },
        { "a list has more than 1,000,000 entries", profile => profile.Sample([.. Enumerable.Repeat(1UL, 1_000_001)], [1]) },
    };

    [Theory]
    [MemberData(nameof(Damages))]
    public void A_damaged_profile_is_rejected_with_the_reason(string reason, Action<ForeignProfile> damage)
    {
        ForeignProfile profile = Samples();
        damage(profile);

        profile.Invoking(one => one.Read()).Should().Throw<InvalidDataException>().WithMessage($"*{reason}*");
    }

    [Fact]
    public void Other_files_and_truncated_ones_are_rejected()
    {
        foreach (string text in (string[])["", "<html></html>", "a;b;c 12\n"])
        {
            FluentActions.Invoking(() => Read(System.Text.Encoding.UTF8.GetBytes(text))).Should().Throw<InvalidDataException>().WithMessage("This is not a pprof profile*");
        }

        byte[] whole = Written(SomeProfiles.Typical());
        foreach (int length in new[] { 20, whole.Length / 2, whole.Length - 12 })
        {
            FluentActions.Invoking(() => Read(whole[..length])).Should().Throw<InvalidDataException>($"of {length} bytes");
        }
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Profiles_that_expand_are_rejected_early()
    {
        using MemoryStream stream = new();
        using (GZipStream gzip = new(stream, CompressionLevel.Fastest, leaveOpen: true))
        {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i <= 256; i++)
            {
                gzip.Write(zeros);
            }
        }

        byte[] bomb = stream.ToArray();
        long before = GC.GetAllocatedBytesForCurrentThread();
        FluentActions.Invoking(() => Read(bomb)).Should().Throw<InvalidDataException>().WithMessage("The profile is too large: it has more than 268,435,456 bytes.");
        (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(1_000_000 + (4L * bomb.Length));

        Samples().Function(1, "F").Location(1, 0, 0, [.. Enumerable.Repeat(1UL, 1_000)]).Samples(3_000, [.. Enumerable.Repeat(1UL, 60)], 1)
            .Invoking(one => one.Read())
            .Should().Throw<InvalidDataException>().WithMessage("The profile is too large: its stacks are too long.");

        ForeignProfile names = Samples().Function(1, new string('x', 1_000_000));
        for (ulong i = 1; i <= 300; i++)
        {
            names.Location(i, 0, i, 1).Sample([i], [1]);
        }

        names.Invoking(one => one.Read())
            .Should().Throw<InvalidDataException>().WithMessage("The profile is too large: its names are too long.");
    }

    private static ForeignProfile Samples() => new ForeignProfile().SampleType("samples", "count");

    private static CpuProfile RoundTrip(CpuProfile profile) => Read(Written(profile));
}
