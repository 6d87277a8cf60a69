namespace Picollo.Export.Tests;

public class LogReaderTests
{
    private const string Header = "#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 08:24:39 PDT 2015]\n";

    private static readonly string Histogram = Convert.ToBase64String(HdrHistogramEncoding.EncodeCompressed(Of(1000, 2000, 3000)));

    // The number of intervals, the total count and the largest value, as the Java library reports them.
    [Theory]
    [InlineData(GoldenLogs.V0, 81, 61_256, 1_577_058_303, "2015-08-06T14:06:01.2250000Z")]
    [InlineData(GoldenLogs.V1, 88, 65_964, 1_895_825_407, "2015-08-06T13:26:30.2850000Z")]
    [InlineData(GoldenLogs.V2, 62, 48_761, 1_803_550_719, "2015-09-09T15:24:39.4740000Z")]
    [InlineData(GoldenLogs.Tagged, 42, 32_290, 1_551_892_479, "2015-09-09T15:24:39.4740000Z")]
    public void Logs_of_the_HdrHistogram_libraries_are_read(string name, int intervals, ulong total, ulong max, string start)
    {
        using var log = new HdrHistogramLogReader(GoldenLogs.PathOf(name));
        List<HdrHistogramLogInterval> read = [.. log.ReadAll()];

        read.Should().HaveCount(intervals);
        read.Aggregate(0UL, (sum, interval) => sum + interval.Histogram.TotalCount).Should().Be(total);
        read.Max(interval => interval.Histogram.GetPercentile(100).Bucket.End).Should().Be(max);
        log.StartTime.Should().Be(DateTimeOffset.Parse(start, null, System.Globalization.DateTimeStyles.RoundtripKind));
        read.Should().OnlyContain(interval => interval.StartTime == log.StartTime + interval.Offset);
        read.Should().OnlyContain(interval => IsIn(interval.Histogram.GetPercentile(100).Bucket, interval.Max * 1_000_000), "the largest value is in the last bucket, as in our own logs");
    }

    // The largest value in a log is rounded to three decimals.
    private static bool IsIn(Bucket bucket, double max) => max >= bucket.Start - 500.0 && max <= bucket.End + 500.0;

    /// <summary>HdrHistogram.NET writes UTF-16 with a byte-order mark.</summary>
    [Theory]
    [InlineData("utf-16")]
    [InlineData("utf-16BE")]
    [InlineData("utf-8")]
    public void A_byte_order_mark_determines_the_encoding(string name)
    {
        var encoding = Encoding.GetEncoding(name);
        byte[] text = [.. encoding.Preamble, .. encoding.GetBytes(Header + $"Tag=é,0.5,1,3,{Histogram}\n1.5,1,3,{Histogram}\n")];

        foreach (Stream stream in new Stream[] { new MemoryStream(text), new Pieces(text, () => 1) })
        {
            using var log = new HdrHistogramLogReader(stream);
            List<HdrHistogramLogInterval> read = [.. log.ReadAll()];
            read.Select(interval => interval.Tag).Should().Equal("é", null);
            read[1].Histogram.TotalCount.Should().Be(3);
        }

        Seeded.Run(20, random =>
        {
            using var reader = new HdrHistogramLogReader(new Pieces(text, () => random.Next(1, 40)));
            reader.ReadAll().Select(interval => interval.Tag).Should().Equal("é", null);
        });
        foreach (string shorter in new[] { "", "#", "#x" })
        {
            Read(shorter).Read().Should().BeNull();
        }
    }

    // The counts are from the tests of the Java library.
    [Theory]
    [InlineData(0, 180, 62, 48_761)]
    [InlineData(5, 20, 15, 11_664)]
    [InlineData(40, 60, 20, 15_830)]
    [InlineData(1_000, 2_000, 0, 0)]
    public void A_time_range_of_a_log_is_read(int from, int to, int intervals, ulong total)
    {
        using var log = new HdrHistogramLogReader(GoldenLogs.PathOf(GoldenLogs.V2));
        List<HdrHistogramLogInterval> read = ReadPart(() => log.Read(TimeSpan.FromSeconds(from), TimeSpan.FromSeconds(to)));

        read.Should().HaveCount(intervals);
        read.Aggregate(0UL, (sum, interval) => sum + interval.Histogram.TotalCount).Should().Be(total);
        using var again = new HdrHistogramLogReader(GoldenLogs.PathOf(GoldenLogs.V2));
        DateTimeOffset start = log.StartTime!.Value;
        ReadPart(() => again.Read(start.AddSeconds(from), start.AddSeconds(to).ToOffset(TimeSpan.FromHours(5))))
            .Select(interval => interval.StartTime).Should().Equal(read.Select(interval => interval.StartTime));
    }

    [Fact]
    public void A_part_includes_its_start_but_not_its_end_and_the_rest_is_not_decoded()
    {
        using HdrHistogramLogReader log = Read(Header + $"1,1,3,{Histogram}\nTag=b,2,1,3,{Histogram}\nTag=a,3,1,3,damaged\n2.5,1,3,{Histogram}\n");

        ReadPart(() => log.Read(TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(3))).Select(interval => interval.Offset.TotalSeconds)
            .Should().Equal(2, 2.5);
        log.Tags.Should().Equal("a", "b");
    }

    [Fact]
    public void A_log_without_a_start_time_starts_at_its_first_interval_even_if_it_is_skipped()
    {
        using HdrHistogramLogReader log = Read($"100.5,1,3,{Histogram}\n101.5,1,3,{Histogram}\n102.5,1,3,{Histogram}\n");
        ReadPart(() => log.Read(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2))).Select(interval => interval.StartTime)
            .Should().Equal(DateTimeOffset.UnixEpoch.AddSeconds(101.5));
    }

    private static List<HdrHistogramLogInterval> ReadPart(Func<HdrHistogramLogInterval?> read)
    {
        List<HdrHistogramLogInterval> all = [];
        while (read() is { } interval)
        {
            all.Add(interval);
        }

        return all;
    }

    [Theory]
    [InlineData("\n")]
    [InlineData("\r\n")]
    [InlineData("\r")]
    public void Comments_legend_blank_lines_and_all_line_ends_are_accepted(string lineEnd)
    {
        string text = "#[Something]\n" + Header
            + "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
            + $"0.5,1,3,{Histogram}\n#a comment, with Tag=x,1,2\n\nTag=é,1.5 1e0 3.0 {Histogram},and more\n \n\n";

        List<HdrHistogramLogInterval> read = [.. Read(text.Replace("\n", lineEnd, StringComparison.Ordinal)).ReadAll()];

        read.Select(interval => interval.Tag).Should().Equal(null, "é");
        read.Select(interval => interval.Offset.TotalSeconds).Should().Equal(0.5, 1.5);
        read.Select(interval => interval.Length.TotalSeconds).Should().Equal(1, 1);
        read[1].Histogram.Buckets.Should().Equal(Of(1000, 2000, 3000).Buckets.Take(read[1].Histogram.Buckets.Count()));
    }

    // The base time is specified, derived from a start time that is more than a year later, or missing.
    [Theory]
    [InlineData("#[StartTime: 1000000000.5 x]\n#[BaseTime: 1000000000.25 x]\n", "0.125", 1_000_000_000.375, -0.125)]
    [InlineData("#[StartTime: 1000000000.5 x]\n", "0.125", 1_000_000_000.625, 0.125)]
    [InlineData("#[StartTime: 1000000000.5 x]\n", "968464000.499", 1_968_464_000.999, 968_464_000.499)]
    [InlineData("#[StartTime: 1000000000.5 x]\n", "968464000.5", 968_464_000.5, -31_536_000)]
    [InlineData("#[StartTime: 1000000000.5 x]\n", "1000000001.5", 1_000_000_001.5, 1)]
    [InlineData("#[BaseTime: 1000000000.25 x]\n", "5", 1_000_000_005.25, 1_000_000_000.25)]
    [InlineData("", "1000000001.5", 1_000_000_001.5, 0), InlineData("", "0.5", 0.5, 0), InlineData("#[StartTime: soon\n", "0.5", 0.5, 0)]
    [InlineData("#[StartTime:5 x]\n", "0.5", 0.5, 0)]
    public void Times_have_the_same_meaning_as_in_the_HdrHistogram_libraries(string header, string timestamp, double seconds, double offset)
    {
        HdrHistogramLogReader log = Read($"{header}{timestamp},1,1,{Histogram}\n");
        HdrHistogramLogInterval interval = log.Read()!;

        interval.StartTime.Should().BeCloseTo(DateTimeOffset.UnixEpoch.AddSeconds(seconds), TimeSpan.FromTicks(10));
        interval.Offset.Should().BeCloseTo(TimeSpan.FromSeconds(offset), TimeSpan.FromTicks(10));
        log.Read().Should().BeNull();
    }

    /// <summary>HdrHistogram.NET writes numbers in the current culture.</summary>
    [Fact]
    public void Decimal_commas_are_read()
    {
        using HdrHistogramLogReader log = Read(
            $"#[StartTime: 1441812279,474 (seconds since epoch), 2015-09-09T15:24:39.4740000Z]\n0,127,1,007,2,769,{Histogram}\nTag=A,-1,5,0,999,0,442,{Histogram}\n1,2,3,{Histogram}\n");
        List<HdrHistogramLogInterval> read = [.. log.ReadAll()];

        log.StartTime.Should().Be(DateTimeOffset.FromUnixTimeMilliseconds(1_441_812_279_474));
        read.Select(interval => (interval.Tag, interval.Offset.TotalSeconds, interval.Length.TotalSeconds, interval.Max))
            .Should().Equal((null, 0.127, 1.007, 2.769), ("A", -1.5, 0.999, 0.442), (null, 1, 2, 3));
        read.Should().OnlyContain(interval => interval.Histogram.TotalCount == 3);
    }

    [Fact]
    public void A_later_start_time_applies_to_the_lines_after_it()
    {
        HdrHistogramLogReader log = Read($"#[StartTime: 1000 x]\n1001,1,1,{Histogram}\n#[StartTime: 2000 x]\n2001,1,1,{Histogram}\n");

        log.StartTime.Should().BeNull();
        log.Read()!.Offset.Should().Be(TimeSpan.FromSeconds(1));
        log.Read()!.Offset.Should().Be(TimeSpan.FromSeconds(1));
        log.StartTime.Should().Be(DateTimeOffset.UnixEpoch.AddSeconds(2000));
        log.BaseTime.Should().BeNull();
        HdrHistogramLogReader derived = Read($"#[StartTime: 1000000000 x]\n5,1,1,{Histogram}\n#[StartTime: 2000 x]\n5,1,1,{Histogram}\n");
        (derived.Read()!.StartTime, derived.Read()!.StartTime).Should().Be(
            (DateTimeOffset.UnixEpoch.AddSeconds(1_000_000_005), DateTimeOffset.UnixEpoch.AddSeconds(1_000_000_005)), "a derived base time remains");
    }

    public static TheoryData<string, long, string> InvalidLines => new()
    {
        { "nonsense", 0, "The timestamp is not a number of seconds" },
        { "1,x,1,", 2, "The length is not a number of seconds" },
        { "1", 1, "The length is not a number of seconds" },
        { "1,,1,1", 2, "The length is not a number of seconds" },
        { "1,2,y,z", 4, "The largest value is not a number" },
        { "1,2,3", 5, "The histogram is not valid base64" },
        { "Tag=é,1,2,3,?", 12, "The histogram is not valid base64" },
        { "Tag=a", 5, "The timestamp is not a number of seconds" },
        { "1,2,3,AAAA", 6, "The encoded histogram is truncated, at byte 3 of the histogram" },
        { "1,2,3,AAAAAAAA", 6, "This is not an encoded histogram: its cookie is 0x00000000, at byte 0 of the histogram" },
        { "1e99,2,3,x", 0, "The timestamp is not a number of seconds" },
        { "-1e25,2,3,x", 0, "The timestamp is not a number of seconds" },
        { "299999999999,2,3," + Histogram, 0, "The timestamp is outside the years 1 to 9999" },
        { "1,2,3," + Histogram[..20], 6, "The encoded histogram is truncated, at byte 15 of the histogram" },
    };

    [Theory]
    [MemberData(nameof(InvalidLines))]
    public void An_invalid_line_is_reported_and_the_next_is_read(string wrong, long offset, string problem)
    {
        HdrHistogramLogReader log = Read($"{Header}0,1,1,{Histogram}\r\n{wrong}\n5,1,1,{Histogram}\n");
        log.Read().Should().NotBeNull();

        HdrHistogramFormatException error = log.Invoking(each => each.Read()).Should().Throw<HdrHistogramFormatException>().Which;

        (error.Problem, error.Line, error.Offset).Should().Be((problem, 3, offset));
        log.Read()!.Offset.Should().Be(TimeSpan.FromSeconds(5));
        log.Read().Should().BeNull();
    }

    [Theory]
    [InlineData("299999999999")]
    [InlineData("-299999999999")]
    [InlineData("#[BaseTime: 250000000000 x]\n-100000000000")]
    public void An_invalid_first_timestamp_does_not_set_the_start_time(string wrong)
    {
        HdrHistogramLogReader log = Read($"{wrong},1,1,{Histogram}\n#[BaseTime: 0 x]\n5,1,1,{Histogram}\n");

        log.Invoking(each => each.Read()).Should().Throw<HdrHistogramFormatException>().WithMessage("The timestamp is outside *");
        log.StartTime.Should().BeNull();
        log.Read()!.Offset.Should().Be(TimeSpan.Zero);
        log.StartTime.Should().Be(DateTimeOffset.UnixEpoch.AddSeconds(5));
    }

    [Fact]
    public void A_last_line_without_line_end_is_read_if_complete_and_reported_if_truncated()
    {
        string line = $"Tag=a,0.5,1,3,{Histogram}";
        for (int length = 1; length <= line.Length; length++)
        {
            HdrHistogramLogReader log = Read($"{Header}0,1,1,{Histogram}\n{line[..length]}");
            log.Read().Should().NotBeNull();
            if (length == line.Length)
            {
                log.Read()!.Tag.Should().Be("a");
            }
            else
            {
                log.Invoking(each => each.Read()).Should().Throw<HdrHistogramFormatException>()
                    .Which.Should().Match<HdrHistogramFormatException>(e => e.Line == 3 && e.Problem.StartsWith("The last line is truncated: "));
            }

            log.Read().Should().BeNull();
        }
    }

    [Fact]
    public void A_truncated_time_is_rejected_and_a_complete_one_without_line_end_is_accepted()
    {
        HdrHistogramLogReader truncated = Read("#[StartTime: 14418"), complete = Read("#[StartTime: 14418 (seconds since epoch)]");
        truncated.Invoking(each => each.Read()).Should().Throw<HdrHistogramFormatException>().WithMessage("The last line is truncated: *");
        truncated.StartTime.Should().BeNull();
        complete.Read().Should().BeNull();
        complete.StartTime.Should().Be(DateTimeOffset.UnixEpoch.AddSeconds(14418));
    }

    [Fact]
    public void A_line_that_is_too_long_is_rejected_in_bounded_memory_and_the_next_is_read()
    {
        var log = new HdrHistogramLogReader(
            new Repeated(Encoding.UTF8.GetBytes(new string('x', 1_000_000)), 200, Encoding.UTF8.GetBytes($"\n5,1,1,{Histogram}\nwrong\n")));
        long before = GC.GetAllocatedBytesForCurrentThread();

        log.Invoking(each => each.Read()).Should().Throw<HdrHistogramFormatException>().WithMessage("The line has 134217728 bytes or more (line 1, character 134217728)");
        log.Read()!.StartTime.Should().Be(DateTimeOffset.UnixEpoch.AddSeconds(5));
        log.Invoking(each => each.Read()).Should().Throw<HdrHistogramFormatException>().Which.Line.Should().Be(3);
        log.Read().Should().BeNull();

        (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(300_000_000, "the buffer doubles until it reaches this size");
    }

    [Fact]
    public void Reading_a_log_takes_the_memory_of_one_line()
    {
        byte[] line = Encoding.UTF8.GetBytes($"0,1,1,{Histogram} {new string('x', 1_000_000)}\n");
        using var log = new HdrHistogramLogReader(new Repeated(line, 100, []));
        long before = GC.GetAllocatedBytesForCurrentThread();

        log.ReadAll().Sum(interval => (double)interval.Histogram.TotalCount).Should().Be(300);

        // The histograms take 9 MB, the buffer grows to 1 MB, and the log has 100 MB.
        (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(20_000_000);
    }

    [Fact]
    public void Streams_are_closed_unless_leaveOpen_is_true()
    {
        var stream = new MemoryStream();
        new HdrHistogramLogReader(stream, leaveOpen: true).Dispose();
        stream.CanRead.Should().BeTrue();
        new HdrHistogramLogReader(stream).Dispose();
        stream.CanRead.Should().BeFalse();
    }

    private static PlainHdrHistogram<uint> Of(params ReadOnlySpan<ulong> values)
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(1_000_000).Create();
        histogram.Record(values);
        return histogram;
    }

    private static HdrHistogramLogReader Read(string text) => new(new MemoryStream(Encoding.UTF8.GetBytes(text)));

    private sealed class Pieces(byte[] bytes, Func<int> most) : MemoryStream(bytes)
    {
        public override int Read(byte[] buffer, int offset, int count) => base.Read(buffer, offset, Math.Min(count, most()));

        public override int Read(Span<byte> buffer) => base.Read(buffer[..Math.Min(buffer.Length, most())]);
    }

    /// <summary>A long stream that takes the memory of a part.</summary>
    private sealed class Repeated(byte[] part, int times, byte[] rest) : MemoryStream
    {
        private long _position;

        public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

        public override int Read(Span<byte> buffer)
        {
            long end = (long)part.Length * times;
            ReadOnlySpan<byte> next = _position < end ? part.AsSpan((int)(_position % part.Length)) : rest.AsSpan((int)(_position - end));
            next = next[..Math.Min(buffer.Length, next.Length)];
            next.CopyTo(buffer);
            _position += next.Length;
            return next.Length;
        }
    }
}
