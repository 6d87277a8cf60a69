using Picollo.Profiling.Events;

namespace Picollo.Profiling.Tests.Events;

public class NettraceReaderTests
{
    private static readonly byte[] Example = new NettraceStream()
        .Describe(1, "Runtime", 301)
        .Describe(2, "Framework", 70_000)
        .Stacks(1, [0x10, 0x20], [0x30])
        .Events(new(1, 1, 100, 1, 1000, [1, 2]), new(1, 2, 100, 1, 1010, [3, 4], Activities: 16), new(2, 3, 100, 2, 1020, [], Activities: 48), new(1, 7, 101, 0, 1005, [5]))
        .SequencePoint(2000, (100, 3), (101, 9))
        .Block("Unknown", [1, 2, 3])
        .Stacks(1, [0x40])
        .Events(new NettraceStream.Written(2, 5, 100, 1, 2010, []))
        .ToArray();

    [Theory]
    [InlineData(1)]
    [InlineData(1000)]
    public void Events_have_their_description_thread_time_values_and_stack(int chunk)
    {
        List<(EventDescription, long, long, int, string, long)> events = [];
        NettraceReader reader = ReaderOf(Example, chunk);
        while (reader.MoveNext())
        {
            string stack = string.Join(' ', reader.Stack.ToArray());
            events.Add((reader.Description, reader.ThreadId, reader.Time, reader.Payload.Length, stack, reader.CompleteTime));
        }

        EventDescription one = new("Runtime", 301), two = new("Framework", 70_000);
        events.Should().Equal(
            (one, 100, 1000, 2, "16 32", 1000), (one, 100, 1010, 2, "16 32", 1000), (two, 100, 1020, 0, "48", 1000), (one, 101, 1005, 1, "", 1005),
            (two, 100, 2010, 0, "64", 2010));
        reader.LostCount.Should().Be(3, "two events of thread 101 are missing before the sequence point, and one of thread 100 after it");
    }

    [Fact]
    public void Addresses_may_have_32_bits_and_numbers_64()
    {
        byte[] stream = new NettraceStream(pointerBytes: 4).Describe(1, "P", 1).Stacks(1, [0xFFFF_FFF0])
            .Events(new NettraceStream.Written(1, 1, -1, 1, long.MaxValue, [])).ToArray();
        NettraceReader reader = ReaderOf(stream);

        reader.MoveNext().Should().BeTrue();
        (reader.Stack[0], reader.ThreadId, reader.Time).Should().Be((0xFFFF_FFF0, -1, long.MaxValue));
        reader.MoveNext().Should().BeFalse();
    }

    [Fact]
    public void A_stream_that_is_cut_or_has_another_version_or_form_is_reported()
    {
        for (int length = 0; length < Example.Length; length++)
        {
            Reading(Example[..length]).Should().Throw<InvalidDataException>().WithMessage("*it ends too early*");
        }

        Reading(new NettraceStream(version: 6).ToArray()).Should().Throw<InvalidDataException>().WithMessage("*its version is 6*");
        Reading(new NettraceStream().Events(new NettraceStream.Written(3, 1, 1, 0, 1, [])).ToArray())
            .Should().Throw<InvalidDataException>().WithMessage("*no description*");
        Reading(new NettraceStream().Block("EventBlock", [4, 0, 0, 0]).ToArray()).Should().Throw<InvalidDataException>().WithMessage("*not compressed*");
    }

    [Fact]
    public void A_damaged_stream_is_read_or_reported() => Seeded.Run(2000, random =>
    {
        byte[] damaged = [.. Example];
        for (int i = random.Next(1, 4); i > 0; i--)
        {
            damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
        }

        Record.Exception(Reading(damaged)).Should().Match(failure => failure == null || failure is InvalidDataException);
    });

    [Fact]
    [Trait("Category", "Slow")]
    public void The_stacks_between_two_sequence_points_are_limited()
    {
        byte[] stack = [1, 0, 0, 0, 1, 0, 0, 0, .. BitConverter.GetBytes(15 << 20), .. new byte[15 << 20]]; // four million addresses
        NettraceStream stream = new(pointerBytes: 4);
        for (int i = 0; i < 3; i++)
        {
            stream.Block("StackBlock", stack).SequencePoint(1);
        }

        Reading(stream.ToArray()).Should().NotThrow();
        Reading(stream.Block("StackBlock", stack).Block("StackBlock", stack).Block("StackBlock", stack).ToArray())
            .Should().Throw<InvalidDataException>().WithMessage("*too many stacks*");
    }

    private static NettraceReader ReaderOf(byte[] stream, int chunk = int.MaxValue)
    {
        MemoryStream input = new(stream);
        return new NettraceReader(buffer => input.Read(buffer[..Math.Min(chunk, buffer.Length)]));
    }

    private static Action Reading(byte[] stream) => () =>
    {
        NettraceReader reader = ReaderOf(stream);
        while (reader.MoveNext())
        {
        }
    };
}
