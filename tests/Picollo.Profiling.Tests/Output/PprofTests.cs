using System.IO.Compression;

namespace Picollo.Profiling.Tests.Output;

/// <summary>pprof profiles, decoded independently. tests/Picollo.Peers.Tests reads them with pprof itself.</summary>
public class PprofTests
{
    private const long NanosecondsPerSample = 10_000_000;

    [Fact]
    public void The_header_describes_the_samples()
    {
        ProtobufMessage message = Decode(Profiles.Of("Main 1"), out string[] texts);

        texts[0].Should().BeEmpty();
        message.Messages(1).Select(type => (texts[type.Number(1)], texts[type.Number(2)])).Should().Equal(("samples", "count"), ("cpu", "nanoseconds"));
        (texts[message.Message(11).Number(1)], texts[message.Message(11).Number(2)]).Should().Be(("cpu", "nanoseconds"));
        message.Number(12).Should().Be(NanosecondsPerSample);
        message.Number(9).Should().Be(1_795_608_000_000_000_000, "that is 2026-11-25 12:00");
        message.Number(10).Should().Be(5_000_000_000);
        texts[message.Number(14)].Should().Be("cpu");
    }

    [Fact]
    public void Title_and_notes_are_comments()
    {
        CpuProfile profile = new(new ProfileData(Profiles.RootOf()) { Title = "app", Notes = ["No names of libfoo.so."] });

        ProtobufMessage message = Decode(profile, out string[] texts);

        message.Fields.Where(field => field.Field == 13).Select(field => texts[field.Number]).Should().Equal("app", "No names of libfoo.so.");
        message.Number(9).Should().Be(0, "the start is unknown");
        message.Number(12).Should().Be(0, "the frequency is unknown");
    }

    [Fact]
    public void A_sample_has_its_stack_with_the_innermost_function_first() =>
        Samples(Profiles.Of("Main;Work;Inner 5", "Main;Work 60", "Main 1")).Should().BeEquivalentTo(
        [
            ("Inner@App.dll < Work@App.dll < Main@App.dll", 5L),
            ("Work@App.dll < Main@App.dll", 60),
            ("Main@App.dll", 1),
        ]);

    [Fact]
    public void Functions_of_two_modules_are_separate()
    {
        CpuProfileFrame main = Profiles.Managed("Main");
        CpuProfile profile = Profiles.OfFrames(([new(main.Name, "Other.dll", main.Kind), main], 1));

        ProtobufMessage message = Decode(profile, out string[] texts);

        message.Messages(5).Should().HaveCount(2);
        message.Messages(3).Select(mapping => texts[mapping.Number(5)]).Should().Equal("app (process 42)", "App.dll", "Other.dll");
        message.Messages(4).Select(location => location.Number(2)).Should().Equal([2, 3], "each is in the mapping of its module");
    }

    [Fact]
    public void Numbers_that_do_not_fit_are_the_largest_number()
    {
        const long Count = long.MaxValue / NanosecondsPerSample;
        CpuProfile profile = new(new ProfileData(Profiles.RootOf(([Profiles.Managed("Main")], Count), ([Profiles.Managed("Work")], Count + 1)))
        {
            Frequency = 100,
            StartTime = DateTime.SpecifyKind(DateTime.MaxValue, DateTimeKind.Utc),
            Duration = TimeSpan.MaxValue,
        });

        ProtobufMessage message = Decode(profile, out _);

        message.Messages(2).Select(sample => (long)sample.PackedNumbers(2)[1]).Order().Should().Equal(Count * NanosecondsPerSample, long.MaxValue);
        (message.Number(9), message.Number(10)).Should().Be((long.MaxValue, long.MaxValue));
    }

    [Fact]
    public void Groups_are_written_as_functions_and_the_root_is_written_only_for_an_empty_stack()
    {
        CpuProfileFrame group = new("process 7", "", CpuProfileFrameKind.Group);

        Samples(Profiles.OfFrames(([group, Profiles.Managed("Main")], 2))).Should().Equal(("Main@App.dll < process 7@", 2));
        Samples(Profiles.OfFrames(([], 3))).Should().Equal(("all@", 3));
    }

    [Fact]
    public void The_stream_remains_open_and_ends_with_the_profile()
    {
        using var stream = new MemoryStream();
        Profiles.Of("Main 1").WritePprof(stream);
        long length = stream.Length;
        stream.WriteByte(1);

        stream.ToArray()[..3].Should().Equal(0x1F, 0x8B, 8);
        stream.Length.Should().Be(length + 1);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void A_large_profile_is_complete()
    {
        const int Stacks = 20_000;
        CpuProfile profile = Profiles.OfFrames([.. Enumerable.Range(0, Stacks).Select(i => (new[] { Profiles.Managed("Main"), Profiles.Managed($"Work{i}") }, 1L))]);

        Samples(profile).Select(sample => sample.Stack).Should().HaveCount(Stacks).And.OnlyHaveUniqueItems();
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Every_reference_of_a_random_profile_is_valid_and_no_sample_is_missing() => Seeded.Run(50, random =>
    {
        CpuProfile profile = Profiles.Random(random);

        ProtobufMessage message = Decode(profile, out string[] texts);

        Samples(profile).Sum(sample => sample.Count).Should().Be(profile.SampleCount);
        texts.Should().OnlyHaveUniqueItems();
        ulong[] mappings = [.. message.Messages(3).Select(mapping => mapping.Number(1))];
        mappings.Should().OnlyHaveUniqueItems().And.NotContain(0UL);
        message.Messages(5).Select(function => function.Number(1)).Should().OnlyHaveUniqueItems().And.NotContain(0UL);
        message.Messages(4).Select(location => location.Number(3)).Should().OnlyHaveUniqueItems();
        Dictionary<ulong, (ulong Low, ulong High)> ranges = message.Messages(3).ToDictionary(
            mapping => mapping.Number(1), mapping => (mapping.Number(2), mapping.Number(3)));
        ulong end = 0;
        foreach ((ulong low, ulong high) in ranges.Values.Order())
        {
            low.Should().BeGreaterThanOrEqualTo(end).And.BeLessThan(high);
            end = high;
        }

        foreach (ProtobufMessage location in message.Messages(4))
        {
            (ulong low, ulong high) = ranges[location.Number(2)];
            location.Number(3).Should().BeInRange(low, high - 1);
        }
    });

    /// <summary>The stacks, the innermost function first, and their counts.</summary>
    private static List<(string Stack, long Count)> Samples(CpuProfile profile)
    {
        ProtobufMessage message = Decode(profile, out string[] texts);
        Dictionary<ulong, string> functions = message.Messages(5).ToDictionary(
            function => function.Number(1),
            function =>
            {
                texts[function.Number(3)].Should().Be(texts[function.Number(2)]);
                return $"{texts[function.Number(2)]}@{texts[function.Number(4)]}";
            });
        Dictionary<ulong, string> locations = message.Messages(4).ToDictionary(
            location => location.Number(1), location => functions[location.Message(4).Number(1)]);
        return
        [
            .. message.Messages(2).Select(sample =>
            {
                ulong[] values = sample.PackedNumbers(2);
                values.Should().HaveCount(2).And.HaveElementAt(1, values[0] * NanosecondsPerSample);
                return (string.Join(" < ", sample.PackedNumbers(1).Select(id => locations[id])), (long)values[0]);
            }),
        ];
    }

    private static ProtobufMessage Decode(CpuProfile profile, out string[] texts)
    {
        using var stream = new MemoryStream();
        profile.WritePprof(stream);
        stream.Position = 0;
        using var gzip = new GZipStream(stream, CompressionMode.Decompress);
        using var decoded = new MemoryStream();
        gzip.CopyTo(decoded);
        ProtobufMessage message = new(decoded.ToArray());
        texts = [.. message.Fields.Where(field => field.Field == 6).Select(field => System.Text.Encoding.UTF8.GetString(field.Bytes))];
        return message;
    }
}
