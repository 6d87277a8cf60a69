namespace Picollo.Metrics.Export;

/// <summary>A histogram of a recorder, and what of it is not in the log yet.</summary>
internal sealed class RecordedHistogram(HdrHistogram histogram, string? tag, long since)
{
    private readonly HdrHistogramSnapshot _snapshot = histogram.GetSnapshot();
    private HdrHistogramMerger? _kept; // the deltas since the last line, where that is more than one

    public string? Tag => tag;

    /// <summary>When what is unwritten began, as a timestamp.</summary>
    public long Since { get; private set; } = since;

    /// <summary>What is to be written; null where there is nothing.</summary>
    public ReadOnlyHdrHistogram? Unwritten { get; private set; }

    public bool IsDisposed { get; private set; }

    /// <summary>Takes what was counted since the last call.</summary>
    /// <returns>The exception of the first call after the histogram was disposed.</returns>
    public ObjectDisposedException? Read()
    {
        if (IsDisposed)
        {
            return null;
        }

        try
        {
            _snapshot.Update(deltas: true);
        }
        catch (ObjectDisposedException e)
        {
            IsDisposed = true;
            return e;
        }

        _kept?.Add(_snapshot);
        Unwritten = _kept?.Histogram ?? (ReadOnlyHdrHistogram)_snapshot;
        return null;
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
            Unwritten = _kept.Histogram;
        }
    }
}
