namespace Picollo.Export;

/// <summary>The files of a recorder. <c>name.hlog</c> is the current file, <c>name.1.hlog</c> the file before it, and so on.</summary>
internal sealed class RollingLog : IDisposable
{
    private static readonly List<RollingLog> InUse = []; // guarded by itself

    private readonly string _path;
    private readonly HdrHistogramLogRecorderOptions _options;
    private readonly Action<Exception> _report;
    private HdrHistogramLogWriter? _writer;
    private DateTimeOffset? _start; // the start time of the file; null until its header is written

    /// <summary>Creates the file. An existing file is renamed, so that no line follows a partial line that a killed process left.</summary>
    /// <exception cref="IOException">Another log of this process uses the path, or one of the two logs would rename a file to the path of
    /// the other.</exception>
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
                        ? $"Another recorder of this process already writes this log: {_path}"
                        : $"This log and the log of another recorder would replace each other's files: {_path} and {other._path}");
            }

            InUse.Add(this);
        }

        try
        {
            Open();
        }
        catch
        {
            ReleasePath();
            throw;
        }
    }

    public void Write(ReadOnlyHdrHistogram histogram, DateTimeOffset startTime, DateTimeOffset endTime, string? tag)
    {
        if (_writer is { } writer && IsReplaced(writer))
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
        ReleasePath();
    }

    private void ReleasePath()
    {
        lock (InUse)
        {
            InUse.Remove(this);
        }
    }

    /// <summary>Returns <see langword="true"/> if the path is that of an old file of this log, which need not exist yet.</summary>
    private bool Replaces(string path)
    {
        string start = $"{Path.ChangeExtension(_path, null)}.", end = Path.GetExtension(_path);
        return path.Length > start.Length + end.Length
            && path.StartsWith(start, StringComparison.Ordinal)
            && path.EndsWith(end, StringComparison.Ordinal)
            && int.TryParse(path.AsSpan()[start.Length..^end.Length], NumberStyles.None, CultureInfo.InvariantCulture, out int age)
            && age >= 1 && age < _options.FilesKept && path == PathOf(age);
    }

    /// <summary>Returns <see langword="true"/> if the file was deleted, renamed, replaced, truncated or appended to. The method compares
    /// lengths, because file identities differ between systems. If another process, such as the recorder of the new file, has the file at
    /// the path open, it keeps that file, and this recorder continues with the renamed one.</summary>
    private bool IsReplaced(HdrHistogramLogWriter writer)
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

    /// <summary>Starts a new file. If the old file cannot be renamed, it remains the current file: a file that is too long is better than
    /// none.</summary>
    private void Roll(HdrHistogramLogWriter old)
    {
        try
        {
            RenameFiles();
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
        RenameFiles();
        _writer = new HdrHistogramLogWriter(_path, _options.MaxValueUnitRatio);
        _start = null;
    }

    /// <summary>Renames the files to make room for a new one. An empty file is not renamed: if the disk is full, the header of the new file
    /// cannot be written, and repeated renames would delete all old files.</summary>
    private void RenameFiles()
    {
        if (new FileInfo(_path) is not { Exists: true, Length: > 0 })
        {
            return;
        }

        // Only up to the first gap: if the newest file cannot be renamed, repeated attempts must not delete the older files one by one.
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
