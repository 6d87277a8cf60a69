using System.Text;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>Reads and merges inputs: either lines of numbers and percentile distributions, or interval logs.</summary>
/// <param name="column">The name or number of the column to read; null if each line is a number.</param>
/// <param name="tag">The tag of the intervals to read from logs; null for all intervals.</param>
/// <param name="part">The part of each log to read.</param>
/// <param name="token">A token that ends reading. Numbers that were read before are kept.</param>
internal sealed class DistributionReader(
    string? column, string? tag, LogPart part, BadLines badLines, Terminal terminal, CancellationToken token)
{
    public const string StandardInput = "-";
    private const int MaxListed = 8;

    private readonly Progress? _progress = terminal.ErrorIsPlain ? null : new(terminal.Error);
    private readonly NumberHistogram _numbers = new();
    private readonly HdrHistogramMerger _logs = new();
    private readonly SortedSet<string> _tags = new(StringComparer.Ordinal);
    private bool? _areLogs; // null until the first input is opened
    private DateTimeOffset _start = DateTimeOffset.MaxValue;
    private DateTimeOffset _end = DateTimeOffset.MinValue;

    private enum InputKind
    {
        /// <summary>Lines of numbers, or of separated values.</summary>
        Numbers,

        /// <summary>An HdrHistogram interval log (.hlog).</summary>
        Log,

        /// <summary>An HdrHistogram percentile distribution (.hgrm).</summary>
        Percentiles,
    }

    /// <summary>Formats the valid names for an error message.</summary>
    public static string ListOf(IReadOnlyCollection<string> names) =>
        names.Count == 0 ? "none" : string.Join(", ", names.Take(MaxListed)) + (names.Count > MaxListed ? ", …" : "");

    /// <summary>Reads and merges inputs until the token is canceled.</summary>
    /// <param name="paths">The paths of the files; <c>-</c> is standard input.</param>
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
        if (logged is null && tag is not null && !token.IsCancellationRequested)
        {
            throw new CommandException($"no interval has the tag '{tag}'; available tags: {ListOf(_tags)}");
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
            ReadOnlySpan<byte> start = bytes.Peek();
            Encoding? utf16 = start.StartsWith(Encoding.Unicode.Preamble) ? Encoding.Unicode
                : start.StartsWith(Encoding.BigEndianUnicode.Preamble) ? Encoding.BigEndianUnicode
                : null;
            Stream stream = utf16 is null ? bytes : Encoding.CreateTranscodingStream(bytes, utf16, Encoding.UTF8, leaveOpen: true);
            start = utf16 is null ? start : Encoding.UTF8.GetBytes(utf16.GetString(start[..Math.Min(start.Length, 1024)]));
            InputKind kind = KindOf(path, start);
            CheckKind(name, isLog: kind == InputKind.Log);
            switch (kind)
            {
                case InputKind.Log:
                    ReadLog(name, stream);
                    break;
                case InputKind.Percentiles:
                    ReadPercentiles(name, stream);
                    break;
                default:
                    new NumberLines(name, column, _numbers, badLines).Read(stream);
                    break;
            }
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

    private void CheckKind(string name, bool isLog)
    {
        if (_areLogs is { } before && before != isLog)
        {
            throw new CommandException($"{name}: logs cannot be merged with other inputs");
        }

        if (tag is not null && !isLog)
        {
            throw new CommandException($"{name}: --tag requires an interval log");
        }

        if (part != LogPart.All && !isLog)
        {
            throw new CommandException($"{name}: --from and --to require an interval log");
        }

        _areLogs = isLog;
    }

    private InputKind KindOf(string path, ReadOnlySpan<byte> start) =>
        column is not null ? InputKind.Numbers
        : path.EndsWith(".hlog", StringComparison.OrdinalIgnoreCase) ? InputKind.Log
        : path.EndsWith(".hgrm", StringComparison.OrdinalIgnoreCase) ? InputKind.Percentiles
        : KindOf(start);

    private static InputKind KindOf(ReadOnlySpan<byte> start)
    {
        start = (start.StartsWith("\uFEFF"u8) ? start[3..] : start).TrimStart(" \t\r\n"u8);
        return start.StartsWith("#["u8) || start.StartsWith("\"StartTimestamp\""u8) || start.StartsWith("Tag="u8) ? InputKind.Log
            : start.StartsWith("Value "u8) || start.StartsWith("\"Value\",\"Percentile\""u8) ? InputKind.Percentiles
            : InputKind.Numbers;
    }

    private void ReadLog(string name, Stream stream)
    {
        using HdrHistogramLogReader log = new(stream);
        while (true)
        {
            try
            {
                if (part.Next(log) is not { } interval)
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

        if (tag is not null && tag != interval.Tag)
        {
            return;
        }

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
        using StreamReader reader = new(stream);
        try
        {
            ulong before = 0, otherCount = _numbers.Histogram.TotalCount;
            foreach (PercentileDistributionLine line in PercentileDistribution.Read(reader))
            {
                if (line.TotalCount < before || line.Value is < 0 or >= 18_446_744_073_709_551_616d)
                {
                    throw new CommandException(
                        Invariant($"{name}: not a percentile distribution: value {line.Value} has a total count of {line.TotalCount}, ")
                        + Invariant($"after {before}"));
                }

                if (line.TotalCount > ulong.MaxValue - otherCount)
                {
                    throw CountOverflow(name);
                }

                _numbers.Record(line.Value, line.TotalCount - before);
                before = line.TotalCount;
            }
        }
        catch (HdrHistogramFormatException e)
        {
            throw new CommandException($"{name}: line {e.Line}: {e.Problem}");
        }
    }

    private static CommandException CountOverflow(string name) => new($"{name}: the sum of the counts is 2^64 or more");

    private Stream Open(string path)
    {
        CommandException.ThrowIfEmpty(path);
        return path == StandardInput ? terminal.OpenInput()
            : Directory.Exists(path) ? throw new IOException("Is a directory")
            : new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
    }
}
