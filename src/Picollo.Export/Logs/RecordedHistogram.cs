namespace Picollo.Export;

/// <summary>A histogram of a recorder, with the counts that are not yet in the log.</summary>
internal sealed class RecordedHistogram(HdrHistogram histogram, string? tag, long since)
{
    private readonly HdrHistogramSnapshot _snapshot = histogram.GetSnapshot();
    private HdrHistogramMerger? _kept; // the deltas since the last line, if there are several

    public string? Tag => tag;

    /// <summary>The start of the unwritten interval, as a timestamp.</summary>
    public long Since { get; private set; } = since;

    /// <summary>The counts to write; null if there are none.</summary>
    public ReadOnlyHdrHistogram? Unwritten { get; private set; }

    /// <summary>Whether a read found that the histogram is disposed.</summary>
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

    /// <summary>Reads the values that were recorded since the last call.</summary>
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

    /// <summary>Discards the counts, because their line was written or can never be written.</summary>
    public void Forget(long now)
    {
        Unwritten = null;
        _kept = null;
        Since = now;
    }

    /// <summary>Keeps the counts, because their line could not be written. The next read adds to them.</summary>
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
