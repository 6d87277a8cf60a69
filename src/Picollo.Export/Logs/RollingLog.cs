using System.Globalization;

namespace Picollo.Export;

/// <summary>The files of a recorder: <c>name.hlog</c> is written, <c>name.1.hlog</c> was before it, <c>name.2.hlog</c> before
/// that.</summary>
internal sealed class RollingLog : IDisposable
{
    private static readonly List<RollingLog> InUse = []; // guarded by itself

    private readonly string _path;
    private readonly HdrHistogramLogRecorderOptions _options;
    private readonly Action<Exception> _report;
    private HdrHistogramLogWriter? _writer;
    private DateTimeOffset? _start; // of the file; null until its header is written

    /// <summary>Creates the file; one that is there becomes the first of the old ones, so that nothing is put behind a line that a killed
    /// process left half.</summary>
    /// <exception cref="IOException">Another log of this process has the path, or one would put a file aside to the other's
    /// path.</exception>
    public RollingLog(string path, HdrHistogramLogRecorderOptions options, Action<Exception> report)
    {
        _path = Path.GetFullPath(path);
        _options = options;
        _report = report;
        lock (InUse)
        {
            if (InUse.Find(other => other._path == _path || other.Replaces(_path) || Replaces(other._path)) is { } other)
            {
                throw new IOException(
                    other._path == _path
                        ? $"The log is written by another recorder of this process: {_path}"
                        : $"{_path} and the log of another recorder of this process would replace each other's files: {other._path}");
            }

            InUse.Add(this);
        }

        try
        {
            Open();
        }
        catch
        {
            LeavePath();
            throw;
        }
    }

    public void Write(ReadOnlyHdrHistogram histogram, DateTimeOffset startTime, DateTimeOffset endTime, string? tag)
    {
        if (_writer is { } writer && IsTakenAway(writer))
        {
            writer.Dispose();
            _writer = null;
        }

        if (_writer is null)
        {
            Open();
        }
        else if (IsFull(startTime))
        {
            Roll(_writer);
        }

        if (_start is null)
        {
            _writer!.WriteHeader(startTime, _options.Comment);
            _start = startTime;
        }

        _writer!.WriteInterval(histogram, startTime, endTime, tag);
    }

    public void Dispose()
    {
        _writer?.Dispose();
        LeavePath();
    }

    private void LeavePath()
    {
        lock (InUse)
        {
            InUse.Remove(this);
        }
    }

    /// <summary>Whether a path is one of the old files, which exist or will.</summary>
    private bool Replaces(string path)
    {
        string start = $"{Path.ChangeExtension(_path, null)}.", end = Path.GetExtension(_path);
        return path.Length > start.Length + end.Length
            && path.StartsWith(start, StringComparison.Ordinal)
            && path.EndsWith(end, StringComparison.Ordinal)
            && int.TryParse(path.AsSpan()[start.Length..^end.Length], NumberStyles.None, CultureInfo.InvariantCulture, out int age)
            && age >= 1 && age < _options.FilesKept && path == PathOf(age);
    }

    /// <summary>Whether the path has no longer the file that is written: it was deleted, renamed, replaced, cut off or appended to. Seen by
    /// the length, because what a file's identity is differs from system to system. A file that another process has open, such as its
    /// recorder's, is left to it; this one goes on where it was put.</summary>
    private bool IsTakenAway(HdrHistogramLogWriter writer)
    {
        var file = new FileInfo(_path);
        long length = writer.Position;
        return !file.Exists || (file.Length != length && (writer.Length != length || IsUnused()));
    }

    private bool IsUnused()
    {
        try
        {
            using var file = new FileStream(_path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private bool IsFull(DateTimeOffset startTime) =>
        _start is { } start
        && (_writer!.Position >= _options.MaxFileBytes || (_options.RollDaily && startTime.UtcDateTime.Date > start.UtcDateTime.Date));

    /// <summary>Where the old file cannot be put aside it goes on: better a file too long than none.</summary>
    private void Roll(HdrHistogramLogWriter old)
    {
        try
        {
            PutAside();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _report(e);
            return;
        }

        old.Dispose();
        _writer = null;
        Open();
    }

    private void Open()
    {
        PutAside();
        _writer = new HdrHistogramLogWriter(_path, _options.MaxValueUnitRatio);
        _start = null;
    }

    /// <summary>Makes room for a new file. An empty one stays: on a full disk, which cuts a new file's header off again, the old files must
    /// not be pushed out one by one.</summary>
    private void PutAside()
    {
        if (new FileInfo(_path) is not { Exists: true, Length: > 0 })
        {
            return;
        }

        // Up to the first gap only: where the youngest cannot be moved, the others must not be pushed out one by one either.
        int free = 1;
        while (free < _options.FilesKept - 1 && File.Exists(PathOf(free)))
        {
            free++;
        }

        for (int age = Math.Min(free, _options.FilesKept - 1); age >= 1; age--)
        {
            File.Move(age == 1 ? _path : PathOf(age - 1), PathOf(age), overwrite: true);
        }
    }

    private string PathOf(int age) => $"{Path.ChangeExtension(_path, null)}.{age}{Path.GetExtension(_path)}";
}
