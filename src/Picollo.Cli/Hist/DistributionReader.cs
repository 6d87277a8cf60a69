using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>Reads and merges inputs: either lines of numbers and percentile distributions, or interval logs.</summary>
/// <param name="token">A token that ends reading. Numbers that were read before are kept.</param>
internal sealed class DistributionReader(InputOptions options, BadLines badLines, Terminal terminal, CancellationToken token)
{
    public const string StandardInput = "-";
    private const int MaxListed = 8;

    private readonly Progress? _progress = terminal.ErrorIsPlain ? null : new(terminal.Error);
    private readonly NumberHistogram _numbers = new();
    private readonly HdrHistogramMerger _logs = new();
    private readonly SortedSet<string> _tags = new(StringComparer.Ordinal); // of all intervals
    private readonly SortedSet<string> _mergedTags = new(StringComparer.Ordinal); // "no tag" for an interval without a tag
    private bool? _areLogs; // null until the first input is opened
    private DateTimeOffset _start = DateTimeOffset.MaxValue;
    private DateTimeOffset _end = DateTimeOffset.MinValue;

    public static string ListOf(IReadOnlyCollection<string> names) =>
        names.Count == 0 ? "none" : string.Join(", ", names.Take(MaxListed)) + (names.Count > MaxListed ? ", …" : "");

    public static CommandException CountOverflow(string name) => new($"{name}: the sum of the counts is 2^64 or more");

    public Distribution Read(IReadOnlyList<string> paths)
    {
        DateTimeOffset startTime = DateTimeOffset.UtcNow;
        try
        {
            foreach (string path in paths)
            {
                Read(path);
            }
        }
        catch (OperationCanceledException)
        {
        }

        string name = ForeignText.Clean(string.Join(", ", paths.Select(InputName)));
        if (_areLogs != true)
        {
            return new(name, _numbers.Histogram, _numbers.Places, startTime, DateTimeOffset.UtcNow);
        }

        HdrHistogram? logged = _logs.ToHistogram();
        if (logged is null && (options.Tag is not null || options.IsUntagged) && !token.IsCancellationRequested)
        {
            string problem = !options.IsUntagged ? $"no interval has the tag '{options.Tag}'"
                : _tags.Count == 0 ? "the log contains no intervals"
                : "all intervals have a tag";
            throw new CommandException($"{problem}; available tags: {ListOf(_tags)}");
        }

        if (_mergedTags.Count > 1)
        {
            Note($"{name}: merged intervals with different tags ({ListOf(_mergedTags)}); select with --tag or --untagged");
        }

        return logged is not null
            ? new(name, logged, 0, _start, _end)
            : new(name, HdrHistogram.Create(), 0, startTime, DateTimeOffset.UtcNow);
    }

    private static string InputName(string path) => path == StandardInput ? "standard input" : path;

    private void Read(string path)
    {
        string name = InputName(path);
        using ReadAhead bytes = new(() => Open(path), token) { BlockRead = _progress is null ? null : _progress.Show };
        try
        {
            InputFormat format = options.Format ?? (options.Column is null ? FormatOf(path, bytes) : InputFormat.Csv);
            CheckFormat(name, isLog: format == InputFormat.Log);
            Encoding? utf16 = Utf16Of(bytes.Peek(1));
            Stream stream = utf16 is null ? bytes : Encoding.CreateTranscodingStream(bytes, utf16, Encoding.UTF8, leaveOpen: true);
            switch (format)
            {
                case InputFormat.Log:
                    ReadLog(name, stream);
                    break;
                case InputFormat.Hgrm:
                    ReadPercentiles(name, stream);
                    break;
                case InputFormat.PercentileLog:
                    using (StreamReader text = new(stream))
                    {
                        PercentileLog.Read(name, text, _numbers, badLines);
                    }

                    break;
                default:
                    new NumberLines(name, options.Column, _numbers, badLines).Read(stream);
                    break;
            }
        }
        catch (HdrHistogramFormatException e)
        {
            throw new CommandException($"{name}: line {e.Line}: {e.Problem}");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw CommandException.OfFile(name, e);
        }
        finally
        {
            _progress?.Clear();
        }
    }

    private void CheckFormat(string name, bool isLog)
    {
        if (_areLogs is { } before && before != isLog)
        {
            throw new CommandException($"{name}: logs cannot be merged with other inputs");
        }

        if ((options.Tag is not null || options.IsUntagged) && !isLog)
        {
            throw new CommandException($"{name}: {(options.IsUntagged ? "--untagged" : "--tag")} requires an interval log");
        }

        if (options.Part != LogPart.All && !isLog)
        {
            throw new CommandException($"{name}: --from and --to require an interval log");
        }

        _areLogs = isLog;
    }

    private void Note(string text) => terminal.Error.WriteLine(ForeignText.Clean($"picollo: {text}"));

    private static InputFormat FormatOf(string path, ReadAhead bytes)
    {
        ReadOnlySpan<byte> start = bytes.Peek();
        InputFormat? format;
        for (bool isAll = false; (format = InputFormats.Recognize(ToUtf8(start), isAll)) is null && !isAll;)
        {
            int length = start.Length;
            try
            {
                start = bytes.Peek(moreThan: length);
            }
            catch (OperationCanceledException)
            {
                // The lines that were read are still counted if they are numbers.
            }

            isAll = start.Length == length || start.Length >= InputFormats.MaxBytes;
        }

        return format ?? InputFormats.OfName(path) ?? InputFormat.Numbers;
    }

    private static Encoding? Utf16Of(ReadOnlySpan<byte> start) =>
        start.StartsWith(Encoding.Unicode.Preamble) ? Encoding.Unicode
        : start.StartsWith(Encoding.BigEndianUnicode.Preamble) ? Encoding.BigEndianUnicode
        : null;

    private static ReadOnlySpan<byte> ToUtf8(ReadOnlySpan<byte> start) =>
        Utf16Of(start) is { } utf16 ? Encoding.UTF8.GetBytes(utf16.GetString(start)) : start;

    private void ReadLog(string name, Stream stream)
    {
        using HdrHistogramLogReader log = new(stream);
        while (true)
        {
            try
            {
                if (options.Part.Next(log) is not { } interval)
                {
                    return;
                }

                Merge(interval);
            }
            catch (HdrHistogramFormatException e)
            {
                badLines.Add(name, (ulong)e.Line!.Value, e.Problem);
            }
            catch (OverflowException)
            {
                throw CountOverflow(name);
            }
        }
    }

    private void Merge(HdrHistogramLogInterval interval)
    {
        if (interval.Tag is { } intervalTag)
        {
            _tags.Add(intervalTag);
        }

        if ((options.Tag is not null && options.Tag != interval.Tag) || (options.IsUntagged && interval.Tag is not null))
        {
            return;
        }

        _mergedTags.Add(interval.Tag ?? "no tag");
        _logs.Add(interval.Histogram);
        bool hasEnd = interval.Length > TimeSpan.Zero && interval.Length < DateTimeOffset.MaxValue - interval.StartTime;
        DateTimeOffset end = hasEnd ? interval.StartTime + interval.Length : interval.StartTime;
        _start = interval.StartTime < _start ? interval.StartTime : _start;
        _end = end > _end ? end : _end;
    }

    /// <summary>Reads a percentile distribution. Values between two lines are recorded as the value of the second line, an upper
    /// bound.</summary>
    private void ReadPercentiles(string name, Stream stream)
    {
        using StreamReader text = new(stream);
        PercentileDistributionReader reader = new(text);
        ulong before = 0, otherCount = _numbers.Histogram.TotalCount;
        foreach (PercentileDistributionLine line in reader.Read())
        {
            if (line.TotalCount > ulong.MaxValue - otherCount)
            {
                throw CountOverflow(name);
            }

            _numbers.Record(line.Value, line.TotalCount - before);
            before = line.TotalCount;
        }

        if (reader.UncorrectedLine is { } uncorrected)
        {
            Note(Invariant($"{name}: read the recorded latencies; the uncorrected latencies (line {uncorrected}) are not included"));
        }
    }

    private Stream Open(string path)
    {
        return path.Length == 0 ? throw new FileNotFoundException()
            : path == StandardInput ? terminal.OpenInput()
            : Directory.Exists(path) ? throw new IOException("Is a directory")
            : new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
    }
}

/// <summary>The merged numbers of one or more inputs, in multiples of 2⁻ᵖˡᵃᶜᵉˢ of the inputs' unit.</summary>
/// <param name="Name">The names of the inputs, without control characters.</param>
/// <param name="Places">The number of binary places; 0 for whole numbers.</param>
/// <param name="StartTime">The start of the measurement if the inputs contain it; otherwise, the time at which reading started.</param>
/// <param name="EndTime">The end of the measurement if the inputs contain it; otherwise, the time at which reading ended.</param>
internal sealed record Distribution(string Name, HdrHistogram Histogram, int Places, DateTimeOffset StartTime, DateTimeOffset EndTime)
{
    /// <summary>Converts two distributions to a common unit: the finer of the two, or a coarser one if a number would not fit.</summary>
    public static (Distribution Before, Distribution After) ToCommonUnit(Distribution before, Distribution after)
    {
        int places = Math.Min(Math.Max(before.Places, after.Places), Math.Min(before.MaxPlaces, after.MaxPlaces));
        return (before.WithPlaces(places), after.WithPlaces(places));
    }

    private int MaxPlaces => Places + NumberHistogram.GetSparePlaces(Histogram);

    /// <summary>Returns the divisor that converts recorded values to displayed values.</summary>
    public double RatioFor(double scale) => Math.ScaleB(1, Places) / scale;

    private Distribution WithPlaces(int places) => places == Places
        ? this
        : this with { Histogram = NumberHistogram.Rescale(Histogram, places - Places), Places = places };
}
