using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;

namespace Picollo.Export.Tests;

public sealed class LogRecorderTests : IDisposable
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly DateTimeOffset Start = new(2026, 11, 21, 23, 0, 0, 250, TimeSpan.Zero);

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-log-").FullName;
    private readonly ManualTime _time = new(Start);
    private readonly List<Exception> _errors = [];
    private readonly PlainHdrHistogram<uint> _histogram = HdrHistogram.Factory.WithSignificantDigits(2).WithMaxTrackableValue(1_000_000_000).Create();

    private string Log => Path.Combine(_folder, "a.hlog");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Each_interval_has_the_values_recorded_in_it()
    {
        _histogram.Record(1, 1000); // before the recorder starts
        HdrHistogram other = HdrHistogram.Factory.WithThreadLocal().WithMaxTrackableValue(1_000_000_000).Create();
        HdrHistogramLogRecorder recorder = Record();
        recorder.Add(_histogram);
        recorder.Add(other, "other");

        _histogram.Record(2, 20);
        _time.Advance(Second);
        _histogram.Record(3, 30);
        other.Record(4, 40);
        _time.Advance(Second);
        _time.Advance(TimeSpan.FromSeconds(0.5));
        other.Record(5, 50);
        await recorder.DisposeAsync();
        other.Record(6, 60);
        _time.Advance(10 * Second);
        await recorder.DisposeAsync();

        Read(Log).Select(interval => (interval.Tag, interval.Offset.TotalSeconds, interval.Length.TotalSeconds, Text(interval.Histogram))).Should().Equal(
            (null, 0, 1, "2x20"),
            ("other", 0, 1, ""),
            (null, 1, 1, "3x30"),
            ("other", 1, 1, "4x40"),
            (null, 2, 0.5, ""),
            ("other", 2, 0.5, "5x50"));
        Read(Log)[0].StartTime.Should().Be(Start);
        _errors.Should().BeEmpty();
    }

    [Fact]
    public async Task The_time_to_write_lines_is_part_of_the_next_intervals()
    {
        HdrHistogram other = HdrHistogram.Create();
        await using (HdrHistogramLogRecorder recorder = Record(new() { TimeProvider = _time, OnError = _ => _time.Spend(Second / 4) }))
        {
            recorder.Add(other, "other");
            recorder.Add(_histogram);
            other.Dispose();
            _time.Advance(Second);
            _time.Advance(Second);
        }

        Read(Log).Select(interval => (interval.Offset.TotalSeconds, interval.Length.TotalSeconds)).Should().Equal((0, 1), (1, 1), (2, 0.25));
    }

    [Fact]
    public async Task Setting_the_system_clock_back_over_midnight_neither_changes_the_lengths_of_intervals_nor_starts_a_new_file()
    {
        await using (HdrHistogramLogRecorder recorder = Record(new() { RollDaily = true, TimeProvider = _time }))
        {
            recorder.Add(_histogram);
            _time.Advance(Second);
            _time.SetClock(Start.AddHours(-24));
            _time.Advance(2 * Second);
        }

        Directory.GetFiles(_folder).Should().Equal(Log);
        Read(Log).Select(interval => (interval.Offset.TotalSeconds, interval.Length.TotalSeconds)).Should()
            .Equal((0, 1), (-86_400, 1), (-86_399, 1), (-86_398, 0));
    }

    [Fact]
    public async Task Files_roll_by_size_and_the_oldest_are_deleted()
    {
        HdrHistogramLogRecorderOptions options = new() { MaxFileBytes = 600, FilesKept = 3, TimeProvider = _time, Comment = "by me", MaxValueUnitRatio = 0.5 };
        await using (HdrHistogramLogRecorder recorder = Record(options))
        {
            (options.Comment, options.MaxFileBytes, options.FilesKept, options.MaxValueUnitRatio) = ("changed too late", 1, -1, 7);
            recorder.Add(_histogram);
            for (ulong second = 0; second < 20; second++)
            {
                _histogram.Record(second);
                _time.Advance(Second);
            }
        }

        string[] files = [Log, Path.Combine(_folder, "a.1.hlog"), Path.Combine(_folder, "a.2.hlog")];
        Directory.GetFiles(_folder).Should().BeEquivalentTo(files);
        foreach (string file in files[1..])
        {
            new FileInfo(file).Length.Should().BeInRange(600, 800);
        }

        List<HdrHistogramLogInterval> read = [.. files.Reverse().SelectMany(Read)];
        read.Select(interval => interval.StartTime).Should().Equal(Enumerable.Range(21 - read.Count, read.Count).Select(second => Start.AddSeconds(second)));
        files.Select(file => Read(file)[0].Offset).Should().OnlyContain(offset => offset == TimeSpan.Zero, "each file has its own header");
        files.Should().OnlyContain(file => File.ReadLines(file).First() == "#by me");
        read[0].Max.Should().Be(2 * (20 - read.Count + 1), "the unit is half a nanosecond");
    }

    [Fact]
    public async Task Files_roll_by_day()
    {
        await using (HdrHistogramLogRecorder recorder = Record(new() { RollDaily = true, TimeProvider = _time }, TimeSpan.FromMinutes(7)))
        {
            recorder.Add(_histogram);
            recorder.Add(HdrHistogram.Create(), "tag");
            _time.Advance(TimeSpan.FromDays(2));
        }

        Directory.GetFiles(_folder).Should().HaveCount(3);
        foreach (string file in Directory.EnumerateFiles(_folder))
        {
            Read(file).Select(interval => interval.StartTime.UtcDateTime.Date).Distinct().Should().HaveCount(1);
        }
    }

    [Fact]
    public async Task An_existing_file_is_renamed()
    {
        File.WriteAllText(Log, "half a li");
        await Record().DisposeAsync();
        await Record().DisposeAsync();
        File.ReadAllText(Path.Combine(_folder, "a.1.hlog")).Should().Be("half a li");
        File.ReadAllText(Log).Should().BeEmpty();
    }

    [FactNeeding(Need.SmallDisk)]
    public async Task After_a_full_disk_later_lines_contain_the_unwritten_values()
    {
        using var disk = new SmallDisk(Path.Combine(_folder, "disk"), kilobytes: 64);
        string log = Path.Combine(disk.Path, "a.hlog");
        var random = new Random(7);
        var expected = new HdrHistogramMerger();
        int written;
        await using (var recorder = HdrHistogramLogRecorder.Start(log, Second, Options(new() { MaxFileBytes = 6000, FilesKept = 2 })))
        {
            recorder.Add(_histogram);
            recorder.Add(_histogram, "twice");
            RecordSome(2);
            string filler = disk.Fill();
            RecordSome(30);
            written = Directory.GetFiles(disk.Path, "a*.hlog").Sum(file => Read(file).Count);
            _errors.Should().NotBeEmpty().And.AllBeAssignableTo<IOException>();
            File.Delete(filler);
            _errors.Clear();
            RecordSome(3);
            _errors.Should().BeEmpty();
        }

        expected.Add(_histogram);
        List<HdrHistogramLogInterval> all = [.. Directory.GetFiles(disk.Path, "a*.hlog").SelectMany(Read)];
        all.Should().HaveCount(written + 8, "there are two lines per second, and two at the end");
        foreach (string? tag in (string?[])[null, "twice"])
        {
            var merger = new HdrHistogramMerger();
            foreach (HdrHistogramLogInterval interval in all.Where(interval => interval.Tag == tag))
            {
                merger.Add(interval.Histogram);
            }

            Text(merger.ToHistogram()!).Should().Be(Text(_histogram));
            all.Where(interval => interval.Tag == tag).Sum(interval => interval.Length.TotalSeconds).Should().Be(35, "no time is missing");
        }

        void RecordSome(int seconds)
        {
            for (int i = 0; i < seconds; i++)
            {
                for (int n = 0; n < 100; n++)
                {
                    _histogram.Record((ulong)random.NextInt64(1_000_000_000));
                }

                _time.Advance(Second);
            }
        }
    }

    [FactNeeding(Need.SmallDisk)]
    public async Task A_disk_that_stays_full_keeps_the_old_files()
    {
        using var disk = new SmallDisk(Path.Combine(_folder, "disk"), kilobytes: 64);
        string log = Path.Combine(disk.Path, "a.hlog");
        File.WriteAllText(Path.Combine(disk.Path, "a.1.hlog"), "older");
        File.WriteAllText(log, "old");
        disk.Fill();
        await using (var recorder = HdrHistogramLogRecorder.Start(log, Second, Options(new() { FilesKept = 3, MaxFileBytes = 1 })))
        {
            recorder.Add(_histogram);
            _time.Advance(10 * Second);
        }

        _errors.Should().HaveCount(11);
        File.ReadAllText(Path.Combine(disk.Path, "a.1.hlog")).Should().Be("old");
        File.ReadAllText(Path.Combine(disk.Path, "a.2.hlog")).Should().Be("older");
    }

    [Fact]
    public async Task An_unexpected_exception_ends_the_recording_and_is_thrown_on_disposal()
    {
        HdrHistogramLogRecorder recorder = Record();
        recorder.Add(_histogram);
        _time.Advance(Second);
        FilesOf(recorder).Dispose();

        _time.Advance(Second);
        _time.Advance(Second);

        Exception fault = _errors.Should().ContainSingle("an unexpected exception ends the recording").Which;
        (await FluentActions.Awaiting(async () => await recorder.DisposeAsync()).Should().ThrowAsync<ObjectDisposedException>())
            .Which.Should().BeSameAs(fault);
        await Record().DisposeAsync(); // the path can be used again
    }

    [Fact]
    public async Task A_folder_at_the_path_is_an_error_until_it_is_removed_even_if_the_callback_throws()
    {
        Action<Exception> onError = error =>
        {
            _errors.Add(error);
            throw new InvalidOperationException("from the callback");
        };
        await using (HdrHistogramLogRecorder recorder = Record(new() { TimeProvider = _time, OnError = onError }))
        {
            recorder.Add(_histogram);
            _histogram.Record(1);
            _time.Advance(Second);
            File.Delete(Log);
            Directory.CreateDirectory(Log);
            _histogram.Record(2);
            _time.Advance(Second);
            _errors.Should().ContainSingle().Which.Should().BeOfType<UnauthorizedAccessException>();
            Directory.Delete(Log);
            _histogram.Record(3);
            _time.Advance(Second);
        }

        _errors.Should().ContainSingle();
        Read(Log).Select(interval => Text(interval.Histogram)).Should().Equal("2x1 3x1", "");
    }

    [Fact]
    public async Task Old_files_remain_if_the_newest_cannot_be_renamed()
    {
        Directory.CreateDirectory(Path.Combine(_folder, "a.1.hlog", "x"));
        string[] old = [.. Enumerable.Range(2, 3).Select(age => Path.Combine(_folder, $"a.{age}.hlog"))];
        foreach (string file in old)
        {
            File.WriteAllText(file, file);
        }

        await using (HdrHistogramLogRecorder recorder = Record(new() { TimeProvider = _time, MaxFileBytes = 1, FilesKept = 5, OnError = _errors.Add }))
        {
            recorder.Add(_histogram);
            _time.Advance(10 * Second);
        }

        _errors.Should().HaveCount(10);
        old.Should().OnlyContain(file => File.ReadAllText(file) == file);
        Read(Log).Should().HaveCount(11);
    }

    [Fact]
    public async Task The_error_callback_can_add_a_histogram()
    {
        HdrHistogram other = HdrHistogram.Create();
        HdrHistogramLogRecorder? recorder = null;
        recorder = Record(new() { TimeProvider = _time, OnError = _ => recorder!.Add(_histogram, "instead") });
        await using (recorder)
        {
            recorder.Add(other, "other");
            recorder.Add(_histogram);
            other.Dispose();
            _time.Advance(Second);
            _histogram.Record(1);
            _time.Advance(Second);
        }

        Read(Log).Select(interval => (interval.Tag, Text(interval.Histogram))).Should().Equal(
            (null, ""), (null, "1x1"), ("instead", "1x1"), (null, ""), ("instead", ""));
    }

    [Fact]
    public async Task Only_the_interval_with_values_too_large_for_the_format_is_lost()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        await using (HdrHistogramLogRecorder recorder = Record())
        {
            recorder.Add(histogram);
            histogram.Record(ulong.MaxValue);
            _time.Advance(Second);
            histogram.Record(7);
            _time.Advance(Second);
        }

        _errors.Should().ContainSingle().Which.Should().BeOfType<ArgumentException>();
        Read(Log).Select(interval => Text(interval.Histogram)).Should().Equal("7x1", "");
    }

    [Fact]
    public async Task A_disposed_histogram_is_released()
    {
        await using HdrHistogramLogRecorder recorder = Record();
        WeakReference disposed = AddAndDispose(recorder);
        _time.Advance(Second);

        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        disposed.IsAlive.Should().BeFalse();

        // A separate method, so that no local variable keeps the histogram alive.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference AddAndDispose(HdrHistogramLogRecorder recorder)
        {
            HdrHistogram histogram = HdrHistogram.Create();
            recorder.Add(histogram);
            histogram.Dispose();
            return new WeakReference(histogram);
        }
    }

    [Fact]
    public async Task Values_of_a_disposed_histogram_are_written_when_the_folder_exists_again()
    {
        string folder = Path.Combine(_folder, "sub");
        string log = Path.Combine(Directory.CreateDirectory(folder).FullName, "a.hlog");
        HdrHistogram histogram = HdrHistogram.Create();
        await using (var recorder = HdrHistogramLogRecorder.Start(log, Second, Options(new() { MaxFileBytes = 1 })))
        {
            recorder.Add(histogram);
            _time.Advance(Second);
            Directory.Delete(folder, recursive: true);
            histogram.Record(7);
            _time.Advance(Second);
            histogram.Record(7);
            _time.Advance(Second);
            histogram.Dispose();
            _time.Advance(Second);
            _errors.OfType<IOException>().Should().HaveCount(3);
            Directory.CreateDirectory(folder);
            _time.Advance(2 * Second);
        }

        Read(log).Select(interval => (interval.Length.TotalSeconds, Text(interval.Histogram))).Should().Equal((4, "7x2"));
        _errors.OfType<ObjectDisposedException>().Should().ContainSingle();
    }

    [Theory]
    [InlineData("deleted"), InlineData("renamed"), InlineData("renamed and created again"), InlineData("replaced"), InlineData("truncated")]
    [InlineData("appended to")]
    public async Task A_replaced_file_is_detected_at_the_next_line(string how)
    {
        string moved = Path.Combine(_folder, "moved");
        FileStream? opened = null;
        FileStream Open(FileMode mode) => opened = new FileStream(Log, mode, FileAccess.Write, FileShare.ReadWrite);
        await using (HdrHistogramLogRecorder recorder = Record())
        {
            recorder.Add(_histogram);
            recorder.Add(_histogram, "twice");
            _histogram.Record(1);
            _time.Advance(Second);
            Action change = how switch
            {
                "deleted" => () => File.Delete(Log),
                "renamed" => () => File.Move(Log, moved),
                "renamed and created again" => () =>
                {
                    File.Move(Log, moved);
                    File.WriteAllText(Log, "");
                }
                ,
                "replaced" => () =>
                {
                    File.WriteAllText(moved, "another's");
                    File.Move(moved, Log, overwrite: true);
                }
                ,
                "truncated" => () => Open(FileMode.Open).SetLength(0),
                _ => () => Open(FileMode.Append).Write("another's"u8),
            };
            change();
            opened?.Dispose();
            _histogram.Record(2);
            _time.Advance(Second);
            _histogram.Record(3);
        }

        _errors.Should().BeEmpty();
        File.ReadLines(Log).First().Should().StartWith("#[Histogram log format");
        Read(Log).Select(interval => (interval.Tag, interval.Offset.TotalSeconds, Text(interval.Histogram))).Should().Equal(
            (null, 0, "2x1"), ("twice", 0, "2x1"), (null, 1, "3x1"), ("twice", 1, "3x1"));
        Read(Log)[0].StartTime.Should().Be(Start + Second);
        string aside = Path.Combine(_folder, "a.1.hlog");
        switch (how)
        {
            case "replaced":
                File.ReadAllText(aside).Should().Be("another's");
                break;
            case "appended to":
                File.ReadAllText(aside).Should().EndWith("another's");
                break;
            case "deleted" or "truncated":
                Directory.GetFiles(_folder).Should().Equal(Log);
                break;
            default:
                Directory.GetFiles(_folder).Should().BeEquivalentTo(Log, moved);
                Read(moved).Should().HaveCount(2);
                break;
        }
    }

    [Fact]
    public async Task A_file_of_another_process_at_the_path_is_not_changed()
    {
        await using (HdrHistogramLogRecorder recorder = Record())
        {
            recorder.Add(_histogram);
            _time.Advance(Second);

            // The recorder of another process does this at its start.
            string aside = Path.Combine(_folder, "a.1.hlog");
            File.Move(Log, aside);
            using (new FileStream(Log, FileMode.Create, FileAccess.Write, FileShare.Read | FileShare.Delete))
            {
                _time.Advance(3 * Second);
                Read(aside).Should().HaveCount(4);
                new FileInfo(Log).Length.Should().Be(0);
            }

            // The other process has ended.
            _time.Advance(2 * Second);
            Read(aside).Should().HaveCount(4);
            Read(Log).Should().HaveCount(2);
        }
    }

    [Fact]
    public async Task A_second_recorder_of_a_file_is_rejected_while_the_first_exists()
    {
        await using (HdrHistogramLogRecorder recorder = Record())
        {
            recorder.Add(_histogram);
            _time.Advance(Second);
            string same = Path.Combine(_folder, "..", Path.GetFileName(_folder), "a.hlog");
            Action second = () => _ = HdrHistogramLogRecorder.Start(same, Second);
            second.Should().Throw<IOException>().WithMessage($"*another recorder*{Log}*");
            Directory.GetFiles(_folder).Should().Equal(Log);
            await HdrHistogramLogRecorder.Start(Path.Combine(_folder, "b.hlog"), Second).DisposeAsync();
        }

        await Record().DisposeAsync();
        Action none = () => _ = HdrHistogramLogRecorder.Start(Path.Combine(_folder, "none", "a.hlog"), Second);
        none.Should().Throw<IOException>();
        Directory.CreateDirectory(Path.Combine(_folder, "none"));
        await HdrHistogramLogRecorder.Start(Path.Combine(_folder, "none", "a.hlog"), Second).DisposeAsync();
    }

    [Theory]
    [InlineData("a.hlog", "a.1.hlog", true), InlineData("a.2.hlog", "a.hlog", true), InlineData("a", "a.2", true)]
    [InlineData("a.hlog", "a.3.hlog", false), InlineData("a.hlog", "a.01.hlog", false), InlineData("a.hlog", "a.0.hlog", false)]
    [InlineData("a.hlog", "a.1.log", false), InlineData("a.hlog", "a.x.hlog", false), InlineData("a.hlog", "b.1.hlog", false)]
    public async Task A_log_at_the_path_of_an_old_file_of_another_recorder_is_rejected(string first, string second, bool isRejected)
    {
        Action open = () => HdrHistogramLogRecorder.Start(Path.Combine(_folder, second), Second, new() { FilesKept = 3 }).Dispose();
        await using (HdrHistogramLogRecorder.Start(Path.Combine(_folder, first), Second, new() { FilesKept = 3 }))
        {
            if (isRejected)
            {
                open.Should().Throw<IOException>().WithMessage($"*another recorder*{Path.Combine(_folder, first)}*");
            }
            else
            {
                open.Should().NotThrow();
            }
        }

        open.Should().NotThrow();
    }

    [Fact]
    public async Task The_tag_of_a_disposed_histogram_can_be_reused_immediately()
    {
        HdrHistogram first = HdrHistogram.Create();
        await using (HdrHistogramLogRecorder recorder = Record())
        {
            recorder.Add(first, "tag");
            first.Record(1);
            _time.Advance(Second);
            first.Dispose();
            recorder.Add(_histogram, "tag");
            recorder.Invoking(each => each.Add(_histogram, "tag")).Should().Throw<ArgumentException>();
            _histogram.Record(2);
            _time.Advance(2 * Second);
        }

        Read(Log).Select(interval => Text(interval.Histogram)).Should().Equal("1x1", "2x1", "", "");
        _errors.Should().ContainSingle("it is reported once").Which.Should().BeOfType<ObjectDisposedException>()
            .Which.Message.Should().Contain("the tag tag");
    }

    [Fact]
    public async Task Kept_counts_above_2_to_the_64_are_reported_and_their_intervals_are_lost()
    {
        string folder = Directory.CreateDirectory(Path.Combine(_folder, "sub")).FullName;
        string log = Path.Combine(folder, "a.hlog");
        await using (var recorder = HdrHistogramLogRecorder.Start(log, Second, Options(new())))
        {
            recorder.Add(_histogram);
            Directory.Delete(folder, recursive: true);
            _histogram.Record(1, 1UL << 63);
            _time.Advance(Second);
            _histogram.Record(2, 1UL << 62);
            _time.Advance(Second);
            _histogram.Record(2, 1UL << 62);
            _time.Advance(Second);
            Directory.CreateDirectory(folder);
            _histogram.Record(3);
            _time.Advance(Second);
        }

        Read(log).Select(interval => (interval.Length.TotalSeconds, Text(interval.Histogram))).Should().Equal((1, "3x1"), (0, ""));
    }

    [Fact]
    public async Task Invalid_arguments_are_rejected()
    {
        Action[] bad =
        [
            () => _ = HdrHistogramLogRecorder.Start("", Second),
            () => _ = HdrHistogramLogRecorder.Start(Log, TimeSpan.Zero),
            () => _ = HdrHistogramLogRecorder.Start(Log, TimeSpan.FromDays(50)),
            () => _ = HdrHistogramLogRecorder.Start(Log, Second, new() { FilesKept = 0 }),
            () => _ = HdrHistogramLogRecorder.Start(Log, Second, new() { MaxFileBytes = 0 }),
            () => _ = HdrHistogramLogRecorder.Start(Log, Second, new() { MaxValueUnitRatio = 0 }),
            () => _ = HdrHistogramLogRecorder.Start(Log, Second, new() { Comment = "a\nb" }),
        ];
        FluentActions.Invoking(() => new HdrHistogramLogRecorderOptions { TimeProvider = null! }).Should().Throw<ArgumentNullException>();
        foreach (Action create in bad)
        {
            create.Should().Throw<ArgumentException>();
        }

        File.Exists(Log).Should().BeFalse("arguments are checked before anything is created");

        HdrHistogramLogRecorder recorder = Record();
        recorder.Add(_histogram);
        recorder.Invoking(each => each.Add(_histogram)).Should().Throw<ArgumentException>();
        recorder.Invoking(each => each.Add(_histogram, "a b")).Should().Throw<ArgumentException>();
        recorder.Invoking(each => each.Add(_histogram, "")).Should().Throw<ArgumentException>();
        recorder.Add(_histogram, "a");
        await recorder.DisposeAsync();
        recorder.Invoking(each => each.Add(_histogram, "b")).Should().Throw<ObjectDisposedException>();
    }

    [Fact]
    public void Synchronous_disposal_by_a_service_container_writes_the_last_interval_and_closes_the_log()
    {
        ServiceCollection services = new();
        services.AddSingleton(_ => Record());
        using (ServiceProvider provider = services.BuildServiceProvider())
        {
            provider.GetRequiredService<HdrHistogramLogRecorder>().Add(_histogram);
            _histogram.Record(2, 20);
            _time.Spend(Second / 2);
        }

        Read(Log).Select(interval => Text(interval.Histogram)).Should().Equal("2x20");
        using FileStream free = new(Log, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        _errors.Should().BeEmpty();
    }

    [Fact]
    public void A_recorder_can_be_disposed_in_its_error_callback()
    {
        HdrHistogramLogRecorder? recorder = null;
        HdrHistogram ended = HdrHistogram.Factory.WithThreadLocal().Create();
        recorder = Record(new() { TimeProvider = _time, OnError = e => { _errors.Add(e); recorder!.Dispose(); } });
        recorder.Add(ended, "ended");
        recorder.Add(_histogram);
        _histogram.Record(2, 20);
        ended.Dispose();
        _time.Advance(Second);
        _time.Advance(Second);

        _errors.Should().ContainSingle().Which.Should().BeOfType<ObjectDisposedException>();
        Read(Log).Where(interval => interval.Tag is null).Select(interval => Text(interval.Histogram)).First().Should().Be("2x20");
        recorder.Dispose();
        using FileStream free = new(Log, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
    }

    [Fact]
    public void An_exception_is_reported_once_if_the_error_callback_disposes_the_recorder()
    {
        HdrHistogramLogRecorder? recorder = null;
        recorder = Record(new() { TimeProvider = _time, OnError = e => { _errors.Add(e); recorder!.Dispose(); } });
        recorder.Add(_histogram);
        FilesOf(recorder).Dispose();
        _time.Advance(Second);

        _errors.Should().ContainSingle();
        recorder.Dispose();
        Record().Dispose(); // the path can be used again
    }

    internal static List<HdrHistogramLogInterval> Read(string path)
    {
        using var log = new HdrHistogramLogReader(path);
        return [.. log.ReadAll()];
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_log")]
    private static extern ref RollingLog FilesOf(HdrHistogramLogRecorder recorder);

    private static string Text(HdrHistogram histogram) =>
        string.Join(' ', histogram.BucketsWithValues.Select(bucket => $"{bucket.Start}x{bucket.Count}"));

    private HdrHistogramLogRecorder Record(HdrHistogramLogRecorderOptions? options = null, TimeSpan? interval = null) =>
        HdrHistogramLogRecorder.Start(Log, interval ?? Second, options ?? Options(new()));

    private HdrHistogramLogRecorderOptions Options(HdrHistogramLogRecorderOptions options) => new()
    {
        MaxFileBytes = options.MaxFileBytes,
        FilesKept = options.FilesKept,
        TimeProvider = _time,
        OnError = _errors.Add,
    };
}
