namespace Picollo.Export;

/// <summary>Adds decoded counts to a histogram, in pieces that remain in the first-level cache.</summary>
internal sealed class DecodedCounts : IDisposable
{
    private const int PieceLength = 2048;

    private readonly ulong[] _piece = ArrayPool<ulong>.Shared.Rent(PieceLength);
    private readonly EncodedHeader _header;
    private readonly HdrHistogramLayout _layout;
    private int _limit; // the number of counts within the range of the histogram
    private int _first; // the index of the first count of the piece
    private int _length; // of the piece

    public DecodedCounts(in EncodedHeader header)
    {
        _header = header;
        _layout = new HdrHistogramLayout(0.5 / (1 << header.BlockScale), 1UL << header.UnitScale);

        // The whole of the last bucket of 0 digits is in the range only if it has values.
        _limit = header.BlockScale == 0 ? header.CountsLength - 1 : _layout.GetIndex(header.HighestTrackableValue) + 1;
        Histogram = Create(header.HighestTrackableValue);
    }

    public PlainHdrHistogram<ulong> Histogram { get; private set; }

    /// <summary>Ends a piece at an index, and starts one there that can receive at least one count.</summary>
    public Span<ulong> StartPiece(int index)
    {
        EndPiece(index);
        if (index >= _limit)
        {
            Widen();
        }

        (_first, _length) = (index, Math.Min(_limit - index, PieceLength));
        Span<ulong> piece = _piece.AsSpan(0, _length);
        piece.Clear();
        return piece;
    }

    /// <summary>Adds the counts of the piece that are before an index.</summary>
    public void EndPiece(long index) => Histogram.AddCounts(_layout, _first, _piece.AsSpan(0, (int)Math.Min(index - _first, _length)));

    public void Dispose() => ArrayPool<ulong>.Shared.Return(_piece);

    /// <summary>Copies the histogram to a range that ends with its last block. The HdrHistogram libraries count values above the highest
    /// trackable value there.</summary>
    private void Widen()
    {
        int last = _header.CountsLength - 1;
        PlainHdrHistogram<ulong> wider = Create(_header.BlockScale == 0 ? _layout.GetEnd(last) : _layout.GetStart(last));
        wider.Add(Histogram);
        (Histogram, _limit) = (wider, _header.CountsLength);
    }

    // Histograms of 0 digits are not supported. Those of 1 digit are finer.
    private PlainHdrHistogram<ulong> Create(ulong maxTrackableValue)
    {
        int scale = Math.Max(_header.BlockScale, EncodedHeader.BlockScaleOf(1));
        return HdrHistogram.Factory
            .WithRelativeError(0.5 / (1 << scale))
            .WithLowestDiscernibleValue(1UL << Math.Min(_header.UnitScale, EncodedHeader.MaxUnitAndBlockScale - scale))
            .WithMaxTrackableValue(maxTrackableValue)
            .WithUInt64Storage()
            .Create();
    }
}
