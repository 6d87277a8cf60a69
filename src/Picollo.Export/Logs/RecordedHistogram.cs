namespace Picollo.Export;

/// <summary>A histogram of a recorder, and its counts that are not in the log yet.</summary>
internal sealed class RecordedHistogram(HdrHistogram histogram, string? tag, long since)
{
    private readonly HdrHistogramSnapshot _snapshot = histogram.GetSnapshot();
    private HdrHistogramMerger? _kept; // the deltas since the last line, where that is more than one

    public string? Tag => tag;

    /// <summary>Start of the unwritten interval, as a timestamp.</summary>
    public long Since { get; private set; } = since;

    /// <summary>The counts to write; null for none.</summary>
    public ReadOnlyHdrHistogram? Unwritten { get; private set; }

    /// <summary>Whether a read has found the histogram disposed.</summary>
    public bool IsDisposed { get; private set; }

    /// <summary>Whether the histogram is disposed, even if no read has found it yet.</summary>
    public bool IsEnded
    {
        get
        {
            try
            {
                _ = histogram.OverflowCount;
                return false;
            }
            catch (ObjectDisposedException)
            {
                return true;
            }
        }
    }

    /// <summary>Takes what was counted since the last call.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed; later calls do nothing.</exception>
    /// <exception cref="OverflowException">The kept counts and the new ones add up to 2^64 or more.</exception>
    public void Read()
    {
        if (IsDisposed)
        {
            return;
        }

        try
        {
            _snapshot.Update(deltas: true);
        }
        catch (ObjectDisposedException)
        {
            IsDisposed = true;
            throw;
        }

        _kept?.Add(_snapshot);
        Unwritten = _kept?.Merged ?? (ReadOnlyHdrHistogram)_snapshot;
    }

    /// <summary>The line is written, or never can be.</summary>
    public void Forget(long now)
    {
        Unwritten = null;
        _kept = null;
        Since = now;
    }

    /// <summary>The line is not written: the next read adds to it.</summary>
    public void Keep()
    {
        if (_kept is null)
        {
            _kept = new HdrHistogramMerger();
            _kept.Add(_snapshot);
            Unwritten = _kept.Merged;
        }
    }
}
