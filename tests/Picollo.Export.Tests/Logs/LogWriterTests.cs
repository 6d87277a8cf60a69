namespace Picollo.Export.Tests;

public class LogWriterTests
{
    private static readonly DateTimeOffset Start = new(2015, 9, 9, 15, 24, 39, 474, TimeSpan.Zero);

    [Fact]
    public void A_log_has_the_format_of_the_HdrHistogram_libraries()
    {
        string log = Write(writer =>
        {
            writer.WriteHeader(Start.AddTicks(9_999), "[Logged with Picollo]");
            writer.WriteComment("");
            writer.WriteInterval(Of(1000, 2_769_000), Start.AddSeconds(0.127), Start.AddSeconds(1.134), "A");
        });

        string[] lines = log.Split('\n');
        lines[..^2].Should().Equal(
            "#[Logged with Picollo]",
            "#[Histogram log format version 1.3]",
            "#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 15:24:39 UTC 2015]",
            "#[BaseTime: 1441812279.474 (seconds since epoch)]",
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"",
            "#");
        lines[^2].Should().StartWith("Tag=A,0.127,1.007,2.771,HISTFAAAA");
        lines[^1].Should().BeEmpty();
    }

    [Fact]
    public void Times_of_any_offset_are_written_in_UTC() => Write(writer =>
        {
            writer.WriteHeader(Start.ToOffset(TimeSpan.FromHours(-5)));
            writer.WriteInterval(Of(1), Start.ToOffset(TimeSpan.FromHours(14)), Start.AddSeconds(1).ToOffset(TimeSpan.FromMinutes(-30)));
        })
        .Should().Be(Write(writer =>
        {
            writer.WriteHeader(Start);
            writer.WriteInterval(Of(1), Start, Start.AddSeconds(1));
        }));

    [Fact]
    public void A_written_log_is_read_back() => Seeded.Run(30, random =>
    {
        var expected = new List<(string? Tag, long Offset, long Length, HdrHistogram Histogram)>();
        string log = Write(writer =>
        {
            writer.WriteHeader(Start);
            for (int i = random.Next(5); i >= 0; i--)
            {
                HdrHistogram histogram = HdrHistogram.Factory
                    .WithSignificantDigits(random.Next(1, 5)).WithMaxTrackableValue(1UL << random.Next(20, 63)).Create();
                for (int n = random.Next(100); n > 0; n--)
                {
                    histogram.Record(random.NextMagnitude() >> 20, (ulong)random.Next());
                }

                string? tag = random.Next(3) == 0 ? null : "t" + random.Next(3);
                (int offset, int length) = (random.Next(-1000, 1_000_000_000), random.Next(100_000));
                DateTimeOffset start = Start.AddMilliseconds(offset);
                writer.WriteInterval(histogram, start, start.AddMilliseconds(length), tag);
                expected.Add((tag, offset, length, histogram));
            }
        });

        using var reader = new HdrHistogramLogReader(new MemoryStream(Encoding.UTF8.GetBytes(log)));
        List<HdrHistogramLogInterval> read = [.. reader.ReadAll()];

        reader.StartTime.Should().Be(Start);
        read.Select(interval => (interval.Tag, (long)interval.Offset.TotalMilliseconds, (long)interval.Length.TotalMilliseconds))
            .Should().Equal(expected.Select(interval => (interval.Tag, interval.Offset, interval.Length)));
        read.Zip(expected).Should().OnlyContain(pair => pair.First.Histogram.BlockSize == pair.Second.Histogram.BlockSize
            && Used(pair.First.Histogram).SequenceEqual(Used(pair.Second.Histogram)));
    });

    [Fact]
    public void Text_that_would_break_a_line_or_is_too_long_and_other_invalid_arguments_are_rejected()
    {
        const int Most = 1 << 20;
        Write(writer =>
        {
            foreach (string tag in new[] { "a,b", "a b", "a\nb", "\r", "", new string('a', Most + 1) })
            {
                writer.Invoking(each => each.WriteInterval(Of(1), Start, Start, tag)).Should().Throw<ArgumentException>().WithParameterName(nameof(tag));
            }

            foreach (string comment in new[] { "a\nb", "\r", new string('a', Most + 1) })
            {
                writer.Invoking(each => each.WriteComment(comment)).Should().Throw<ArgumentException>().WithParameterName(nameof(comment));
                writer.Invoking(each => each.WriteHeader(Start, comment)).Should().Throw<ArgumentException>().WithParameterName(nameof(comment));
            }
        }).Should().BeEmpty();
        Write(writer =>
        {
            writer.WriteInterval(Of(1), Start, Start, new string('a', Most));
            writer.WriteComment(new string('a', Most));
        }).Should().StartWith("Tag=aaa").And.HaveLength("Tag=".Length + (2 << 20) + ",1441812279.474,0.000,0.000,#\n\n".Length
            + Convert.ToBase64String(HdrHistogramEncoding.EncodeCompressed(Of(1))).Length, "timestamps are relative to 1970 without a header");
        foreach (double ratio in new[] { 0, -1, double.NaN, double.PositiveInfinity })
        {
            FluentActions.Invoking(() => new HdrHistogramLogWriter(new MemoryStream(), ratio)).Should().Throw<ArgumentOutOfRangeException>();
        }
    }

    [Fact]
    public void The_longest_intervals_are_read()
    {
        byte[] log = Encoding.UTF8.GetBytes(Write(writer =>
        {
            writer.WriteHeader(DateTimeOffset.MinValue);
            writer.WriteInterval(Of(1), DateTimeOffset.MinValue, DateTimeOffset.MaxValue);
            writer.WriteInterval(Of(1), DateTimeOffset.MaxValue, DateTimeOffset.MinValue);
            writer.WriteHeader(DateTimeOffset.MaxValue);
            writer.WriteInterval(Of(1), DateTimeOffset.MinValue, DateTimeOffset.MaxValue);
            writer.WriteInterval(Of(1), DateTimeOffset.MaxValue, DateTimeOffset.MaxValue);
        }));
        DateTimeOffset last = new(DateTimeOffset.MaxValue.Ticks - (TimeSpan.TicksPerMillisecond - 1), TimeSpan.Zero);
        using var reader = new HdrHistogramLogReader(new MemoryStream(log));
        List<HdrHistogramLogInterval> read = [.. reader.ReadAll()];
        read.Select(interval => interval.StartTime).Should().Equal(DateTimeOffset.MinValue, last, DateTimeOffset.MinValue, last);
        read[0].Length.Should().BeCloseTo(DateTimeOffset.MaxValue - DateTimeOffset.MinValue, TimeSpan.FromMilliseconds(1));
        read[1].Length.Should().BeCloseTo(DateTimeOffset.MinValue - DateTimeOffset.MaxValue, TimeSpan.FromMilliseconds(1));
    }

    [Fact]
    public void Intervals_appended_to_another_log_without_a_header_keep_their_times()
    {
        using var stream = new MemoryStream();
        using (var first = new HdrHistogramLogWriter(stream, leaveOpen: true))
        {
            first.WriteHeader(Start);
            first.WriteInterval(Of(1), Start, Start.AddSeconds(1));
        }

        using var second = new HdrHistogramLogWriter(stream);
        second.WriteInterval(Of(2), Start.AddSeconds(5), Start.AddSeconds(6));
        second.WriteInterval(Of(3), Start.AddSeconds(6), Start.AddSeconds(7));

        string log = Encoding.UTF8.GetString(stream.ToArray());
        log.Split("#[BaseTime: ").Should().HaveCount(3, "it is written once, before the first interval");
        using var reader = new HdrHistogramLogReader(new MemoryStream(stream.ToArray()));
        reader.ReadAll().Select(interval => interval.StartTime).Should().Equal(Start, Start.AddSeconds(5), Start.AddSeconds(6));
    }

    [Fact]
    public void Each_call_is_one_write_of_complete_lines()
    {
        var stream = new Writes(int.MaxValue, canSeek: true);
        using var writer = new HdrHistogramLogWriter(stream);
        writer.WriteHeader(Start, "x");
        writer.WriteInterval(Of(1), Start, Start);
        writer.WriteInterval(Of(2), Start, Start, "t");
        stream.Texts.Should().HaveCount(3).And.OnlyContain(text => text.EndsWith('\n'));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_failed_write_leaves_no_partial_line_before_later_lines(bool canSeek)
    {
        var stream = new Writes(room: 500, canSeek);
        using var writer = new HdrHistogramLogWriter(stream);
        writer.WriteHeader(Start);
        int written = 0;
        writer.Invoking(each =>
        {
            for (; ; written++)
            {
                each.WriteInterval(Of(1, 10, 100), Start, Start);
            }
        }).Should().Throw<IOException>();

        stream.Room = int.MaxValue;
        writer.WriteInterval(Of(7), Start, Start, "last");

        using var reader = new HdrHistogramLogReader(new MemoryStream(stream.ToArray()));
        var totals = new List<ulong>();
        var errors = new List<HdrHistogramFormatException>();
        while (true)
        {
            try
            {
                if (reader.Read() is not { } interval)
                {
                    break;
                }

                totals.Add(interval.Histogram.TotalCount);
            }
            catch (HdrHistogramFormatException e)
            {
                errors.Add(e);
            }
        }

        totals.Should().Equal([.. Enumerable.Repeat(3UL, written), 1UL]);
        errors.Should().HaveCount(canSeek ? 0 : 1);
    }

    [Fact]
    public void A_base_time_whose_write_failed_is_written_with_the_next_interval()
    {
        var stream = new Writes(int.MaxValue, canSeek: true);
        using (var first = new HdrHistogramLogWriter(stream, leaveOpen: true))
        {
            first.WriteHeader(Start);
        }

        using var second = new HdrHistogramLogWriter(stream);
        stream.Room = (int)stream.Position;
        second.Invoking(each => each.WriteInterval(Of(1), Start.AddSeconds(5), Start.AddSeconds(6))).Should().Throw<IOException>();
        stream.Room = int.MaxValue;
        second.WriteInterval(Of(2), Start.AddSeconds(6), Start.AddSeconds(7));

        using var reader = new HdrHistogramLogReader(new MemoryStream(stream.ToArray()));
        reader.ReadAll().Select(interval => interval.StartTime).Should().Equal(Start.AddSeconds(6));
    }

    [Fact]
    public void Timestamps_are_not_relative_to_a_header_whose_write_failed()
    {
        var stream = new Writes(room: 0, canSeek: true);
        using var writer = new HdrHistogramLogWriter(stream);
        writer.Invoking(each => each.WriteHeader(Start)).Should().Throw<IOException>();
        stream.Room = int.MaxValue;
        writer.WriteInterval(Of(1), Start.AddSeconds(5), Start.AddSeconds(6));

        using var reader = new HdrHistogramLogReader(new MemoryStream(stream.ToArray()));
        reader.ReadAll().Select(interval => interval.StartTime).Should().Equal(Start.AddSeconds(5));
    }

    private static PlainHdrHistogram<uint> Of(params ReadOnlySpan<ulong> values)
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithSignificantDigits(3).Create();
        histogram.Record(values);
        return histogram;
    }

    private static IEnumerable<(ulong Start, ulong Count)> Used(HdrHistogram histogram) =>
        histogram.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count));

    private static string Write(Action<HdrHistogramLogWriter> write)
    {
        using var stream = new MemoryStream();
        using var writer = new HdrHistogramLogWriter(stream);
        write(writer);
        return Encoding.UTF8.GetString(stream.ToArray());
    }

    /// <summary>Remembers each write. The write that exceeds the space fails in its middle.</summary>
    private sealed class Writes(int room, bool canSeek) : MemoryStream
    {
        public int Room { get; set; } = room;

        public List<string> Texts { get; } = [];

        public override bool CanSeek => canSeek;

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            Texts.Add(Encoding.UTF8.GetString(buffer));
            int length = (int)Math.Min(buffer.Length, Room - Position);
            base.Write(buffer[..length].ToArray(), 0, length);
            if (length < buffer.Length)
            {
                throw new IOException("No space left on device");
            }
        }
    }
}
