namespace Picollo.Profiling.Tests.Output;

/// <summary>pprof profiles, decoded independently. tests/Picollo.Peers.Tests reads them with pprof itself.</summary>
public class PprofTests
{
    private const long NanosecondsPerSample = 10_000_000;

    [Fact]
    public void The_header_describes_the_samples_and_has_title_and_notes_as_comments()
    {
        ProtobufMessage message = Decode(Profiles.Of("Main 1"), out string[] texts);

        texts[0].Should().BeEmpty();
        message.Messages(1).Select(type => (texts[type.Number(1)], texts[type.Number(2)])).Should().Equal(("samples", "count"), ("cpu", "nanoseconds"));
        (texts[message.Message(11).Number(1)], texts[message.Message(11).Number(2)]).Should().Be(("cpu", "nanoseconds"));
        message.Number(12).Should().Be(NanosecondsPerSample);
        message.Number(9).Should().Be(1_795_608_000_000_000_000, "that is 2026-11-25 12:00");
        message.Number(10).Should().Be(5_000_000_000);
        texts[message.Number(14)].Should().Be("cpu");

        message = Decode(new CpuProfile(new ProfileData(Profiles.RootOf()) { Title = "app", Notes = ["No names of libfoo.so."] }), out texts);
        message.Fields.Where(field => field.Field == 13).Select(field => texts[field.Number]).Should().Equal("app", "No names of libfoo.so.");
        (message.Number(9), message.Number(12)).Should().Be((0, 0), "the start and the frequency are unknown");
    }

    [Fact]
    public void Functions_of_two_modules_are_separate()
    {
        CpuProfileFrame main = Profiles.Managed("Main");
        CpuProfile profile = Profiles.OfFrames(([new(main.Name, "Other.dll", main.Kind), main], 1));

        ProtobufMessage message = Decode(profile, out string[] texts);

        message.Messages(5).Should().HaveCount(2);
        message.Messages(3).Select(mapping => texts[mapping.Number(5)]).Should().Equal("app (process 42)", "App.dll", "Other.dll");
        message.Messages(4).Select(location => location.Number(2)).Should().Equal([2, 3], "each is in the mapping of its module");
        message.Messages(4).Zip(message.Messages(3).Skip(1), (location, mapping) => location.Number(3) - mapping.Number(2) < mapping.Number(3) - mapping.Number(2))
            .Should().Equal([true, true], "each address is in its mapping");
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
    public void The_stream_remains_open_and_ends_with_the_profile()
    {
        using var stream = new MemoryStream();
        Profiles.Of("Main 1").WritePprof(stream);
        stream.WriteByte(1);

        stream.ToArray()[..3].Should().Equal(0x1F, 0x8B, 8);
        stream.ToArray()[..^1].Should().Equal(Profiles.Written(Profiles.Of("Main 1")));
    }

    private static ProtobufMessage Decode(CpuProfile profile, out string[] texts)
    {
        ProtobufMessage message = new(Profiles.Decompressed(profile));
        texts = [.. message.Fields.Where(field => field.Field == 6).Select(field => System.Text.Encoding.UTF8.GetString(field.Bytes))];
        return message;
    }
}
