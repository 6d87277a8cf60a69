using System.Buffers;
using System.Runtime.Intrinsics;

namespace Picollo.Metrics;

/// <summary>Computes, in one pass over a histogram's counters, the sum of each chunk for the percentiles, and the moments of each piece for
/// the mean and the standard deviation.</summary>
/// <remarks>
/// <para>A piece is a run of buckets of one width, at most <see cref="PercentileSearch.PieceSize"/>, so the moments follow from the sums S0
/// = Σc, S1 = Σc·j and S2 = Σc·j², where j is the index in the piece. They are exact integers: a histogram with one value has a standard
/// deviation of exactly zero.</para>
/// <para>The vector kernel computes S1 and S2 without multiplications, from running sums of running sums: after n steps of A += v, B += A,
/// C += B, step k has entered B with weight n−k and C with (n−k)(n−k+1)/2.</para>
/// <para>On a Zen 5 core with AVX-512 (November 2026), the pass over 17,223 32-bit counters, including the moments, takes about 1 µs: 0.54
/// for the running sums, 0.1 for the sums of chunks, 0.17 for S1 and S2 of each piece, and 0.1 for mean and squares. For comparison, the
/// fastest vectorized sum of the counters takes 0.53 µs, and a sum with <see cref="Vector{T}"/> 1.16 µs. Tried without success: computing
/// only the sums of pieces here and the sums of chunks in the search (the pass was 10 % faster, the search 50 % slower).</para>
/// </remarks>
internal ref struct CounterScan
{
    // The number of counters in a step: four vectors of 32-bit counters.
    private const int StepSize = 64;

    // The largest weight of a count in C is n(n+1)(n+2)/6 for n vectors in a piece. For 32-bit lanes, n = 32 and the weight is 5,984 < 2¹³.
    private const uint NarrowLimit = 1u << 19;

    // For 64-bit lanes, n = 64 and the weight is 45,760 < 2¹⁶. S2·S0 must also fit in 128 bits, which requires S0 < 2⁴¹.
    private const ulong WideLimit = 1UL << 32;

    private const ulong SmallLimit = 1UL << 23; // S2 is below 2¹⁸·S0, so S0·S2 fits in 64 bits

    private readonly HdrHistogramLayout _layout;
    private readonly uint _firstIndex;
    private readonly uint _chunkOffset;
    private readonly int _pieceSize;
    private readonly Span<ulong> _padded; // a small piece, or one that is cut by the range or has carries, padded to the full size
    private readonly Span<ulong> _widened; // a piece whose counts are too large for lanes of their width
    private readonly Span<Piece> _pieces;
    private int _pieceCount;
    private UInt128 _sum;

    private CounterScan(CounterRange source, Span<ulong> buffer)
    {
        _layout = source.Layout;
        _firstIndex = source.FirstIndex;
        _chunkOffset = (uint)PercentileSearch.ChunkOffset(source);
        _pieceSize = PercentileSearch.PieceSize(source);
        _padded = Take(ref buffer, PercentileSearch.MaxPieceSize);
        _widened = Take(ref buffer, PercentileSearch.MaxPieceSize);
        _pieces = MemoryMarshal.Cast<ulong, Piece>(Take(ref buffer, Piece.Words * PieceCount(source)));
        ChunkSums = Take(ref buffer, PercentileSearch.ChunkCount(source));
    }

    private Span<ulong> ChunkSums { get; }

    /// <summary>Reads the counters of ranks from 0 to 100, and the moments, in one pass. Without the moments, the pass takes half of the
    /// time, and only their total is set. The counters may be written concurrently; their carries may not. Returns <see langword="false"/>
    /// if the counters changed in the meantime.</summary>
    public static bool TryRead<TCounter>(
        CounterRange source,
        CounterView<TCounter> counters,
        ReadOnlySpan<double> ranks,
        Span<CounterAtRank> found,
        bool needsMoments,
        out CounterMoments moments)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        ulong[] buffer = ArrayPool<ulong>.Shared.Rent(BufferLength(source) + PercentileSearch.ChunkSize);
        CounterScan scan = new(source, buffer.AsSpan(PercentileSearch.ChunkSize));
        moments = needsMoments
            ? scan.Run(counters)
            : new CounterMoments(PercentileSearch.SumChunks(source, counters, scan.ChunkSums), 0, 0, 0);
        PercentileSearch<TCounter> search = new(source, counters, scan.ChunkSums, buffer, moments.Total);
        bool areUnchanged = true;
        for (int i = 0; areUnchanged && i < ranks.Length; i++)
        {
            areUnchanged = search.TryFind(ranks[i], out found[i]);
        }

        ArrayPool<ulong>.Shared.Return(buffer);
        return areUnchanged;
    }

    /// <summary>Returns the sum of the values, as in the moments.</summary>
    public static double Sum(CounterRange source, CounterView<ulong> counters)
    {
        ulong[] buffer = ArrayPool<ulong>.Shared.Rent(BufferLength(source));
        double sum = new CounterScan(source, buffer).Run(counters).Sum;
        ArrayPool<ulong>.Shared.Return(buffer);
        return sum;
    }

    private static int BufferLength(CounterRange source) =>
        (2 * PercentileSearch.MaxPieceSize) + (Piece.Words * PieceCount(source)) + PercentileSearch.ChunkCount(source);

    /// <summary>Processes <paramref name="counters"/>, which may be written concurrently, and their carries, which may not.</summary>
    private CounterMoments Run<TCounter>(CounterView<TCounter> counters)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        uint pieceSize = (uint)_pieceSize;
        int wholeSize = Math.Max(_pieceSize, StepSize);
        uint end = _firstIndex + (uint)counters.Length;
        if (pieceSize < PercentileSearch.ChunkSize)
        {
            ChunkSums.Clear(); // several pieces add to one chunk
        }

        for (uint start = _firstIndex & ~(pieceSize - 1); start < end; start += pieceSize)
        {
            uint from = Math.Max(start, _firstIndex);
            uint to = Math.Min(start + pieceSize, end);
            (int first, int last) = ((int)(from - _firstIndex), (int)(to - _firstIndex));
            if (!counters.CarriesIn(first, last).IsEmpty)
            {
                Span<ulong> exact = _padded[..wholeSize];
                exact.Clear();
                counters.CopyAndSum(first, last, exact[(int)(from - start)..]);
                AddPiece<ulong>(start, exact);
                continue;
            }

            ReadOnlySpan<TCounter> piece = counters.Slice(first, last);
            if (piece.IsEmpty)
            {
                ClearChunks(start);
                continue;
            }

            if (piece.Length < wholeSize)
            {
                Span<TCounter> whole = MemoryMarshal.Cast<ulong, TCounter>(_padded)[..wholeSize];
                whole.Clear();
                piece.CopyTo(whole[(int)(from - start)..]);
                piece = whole;
            }

            AddPiece(start, piece);
        }

        return Combine();
    }

    /// <summary>Sets the sums of a piece's chunks to 0. For a small piece, they are already 0.</summary>
    private void ClearChunks(uint start)
    {
        if (_pieceSize >= PercentileSearch.ChunkSize)
        {
            ChunkSumsFrom(start)[..(_pieceSize >> PercentileSearch.ChunkScale)].Clear();
        }
    }

    private Span<ulong> ChunkSumsFrom(uint start) =>
        ChunkSums[(int)((start - (_firstIndex - _chunkOffset)) >> PercentileSearch.ChunkScale)..];

    private static int PieceCount(CounterRange source) =>
        (source.Length / PercentileSearch.PieceSize(source)) + 2; // a cut piece at each end

    private static Span<ulong> Take(scoped ref Span<ulong> buffer, int length)
    {
        Span<ulong> taken = buffer[..length];
        buffer = buffer[length..];
        return taken;
    }

    private void AddPiece<TCounter>(uint start, ReadOnlySpan<TCounter> piece)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        Span<ulong> chunkSums = ChunkSumsFrom(start)[..Math.Max(_pieceSize >> PercentileSearch.ChunkScale, 1)];
        ulong before = _pieceSize < PercentileSearch.ChunkSize ? chunkSums[0] : 0; // the sum of the chunk's other pieces
        if (!(typeof(TCounter) == typeof(uint)
            ? TryAddVectors(start, MemoryMarshal.Cast<TCounter, uint>(piece), NarrowLimit, chunkSums)
            : TryAddVectors(start, MemoryMarshal.Cast<TCounter, ulong>(piece), WideLimit, chunkSums)))
        {
            Span<ulong> widened = _widened[..piece.Length];
            CounterMath.CopyAndSum(piece, widened);
            if (!TryAddVectors(start, widened, WideLimit, chunkSums))
            {
                AddScalar(start, widened);
            }
        }

        chunkSums[0] += before;
    }

    /// <summary>Adds a piece, which is a number of whole chunks or less than one chunk. Returns false if a counter is not below
    /// <paramref name="limit"/>: sums may then be wrong for 32-bit lanes. The chunk sums of 64-bit counters are always set.</summary>
    private bool TryAddVectors<T>(uint start, ReadOnlySpan<T> piece, T limit, Span<ulong> chunkSums)
        where T : unmanaged, IBinaryInteger<T>
    {
        Vector512<T> seen = default, a = default, b = default, c = default;
        ulong s0 = 0;
        ref T counters = ref MemoryMarshal.GetReference(piece);
        if (IsEmpty(piece))
        {
            chunkSums.Clear();
            return true;
        }

        int chunkSize = Math.Min(piece.Length, PercentileSearch.ChunkSize);
        for (int chunk = 0; chunk < chunkSums.Length; chunk++)
        {
            for (int rest = chunkSize; rest != 0; rest -= 4 * Vector512<T>.Count)
            {
                for (int i = 0; i < 4; i++) // unrolled by the JIT
                {
                    Vector512<T> v = Vector512.LoadUnsafe(ref counters, (nuint)(i * Vector512<T>.Count));
                    seen |= v;
                    a += v;
                    b += a;
                    c += b;
                }

                counters = ref Unsafe.Add(ref counters, 4 * Vector512<T>.Count);
            }

            ulong sum = ulong.CreateTruncating(Vector512.Sum(a));
            chunkSums[chunk] = sum - s0;
            s0 = sum;
        }

        if (Vector512.GreaterThanOrEqualAny(seen, Vector512.Create(limit)))
        {
            return false;
        }

        if (s0 == 0)
        {
            return true; // a second writer of a plain histogram removed the counts after the check above
        }

        (ulong s1, ulong s2) = typeof(T) == typeof(uint)
            ? ReduceNarrow(a.AsUInt32(), b.AsUInt32(), c.AsUInt32(), (uint)piece.Length)
            : ReduceWide(a.AsUInt64(), b.AsUInt64(), c.AsUInt64(), (uint)piece.Length);
        Add(start, s0, s1, s2);
        return true;
    }

    /// <summary>Returns whether all counters are 0. This is true for many pieces of most histograms and saves their sums.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool IsEmpty<T>(ReadOnlySpan<T> piece)
        where T : unmanaged
    {
        ref T counters = ref MemoryMarshal.GetReference(piece);
        for (nuint i = 0; i < (nuint)piece.Length; i += 4 * (nuint)Vector512<T>.Count)
        {
            Vector512<T> seen = Vector512.LoadUnsafe(ref counters, i)
                | Vector512.LoadUnsafe(ref counters, i + (nuint)Vector512<T>.Count)
                | Vector512.LoadUnsafe(ref counters, i + (2 * (nuint)Vector512<T>.Count))
                | Vector512.LoadUnsafe(ref counters, i + (3 * (nuint)Vector512<T>.Count));
            if (seen != Vector512<T>.Zero)
            {
                return false;
            }
        }

        return true;
    }

    private static (ulong S1, ulong S2) ReduceNarrow(Vector512<uint> a, Vector512<uint> b, Vector512<uint> c, uint length)
    {
        uint lanes = (uint)Vector512<uint>.Count;
        (Vector512<ulong> aLow, Vector512<ulong> aHigh) = Vector512.Widen(a);
        (Vector512<ulong> bLow, Vector512<ulong> bHigh) = Vector512.Widen(b);
        (Vector512<ulong> cLow, Vector512<ulong> cHigh) = Vector512.Widen(c);
        (Vector512<ulong> s1Low, Vector512<ulong> s2Low) = Weigh(aLow, bLow, cLow, 0, lanes, length);
        (Vector512<ulong> s1High, Vector512<ulong> s2High) = Weigh(aHigh, bHigh, cHigh, lanes / 2, lanes, length);
        return (Vector512.Sum(s1Low + s1High), Vector512.Sum(s2Low + s2High));
    }

    private static (ulong S1, ulong S2) ReduceWide(Vector512<ulong> a, Vector512<ulong> b, Vector512<ulong> c, uint length)
    {
        (Vector512<ulong> s1, Vector512<ulong> s2) = Weigh(a, b, c, 0, (uint)Vector512<ulong>.Count, length);
        return (Vector512.Sum(s1), Vector512.Sum(s2));
    }

    /// <summary>Returns S1 and S2 of eight lanes. With L lanes per vector, n vectors per piece and lane l, the index j in vector k is L·k +
    /// l. Then Σk·v = nA − B and Σk²·v = n²A − (2n+1)B + 2C. With w = nL + l, this gives Σj·v = wA − LB and Σj²·v = w²A − (L²(2n+1) + 2Ll)B
    /// + 2L²C.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static (Vector512<ulong> S1, Vector512<ulong> S2) Weigh(
        Vector512<ulong> a, Vector512<ulong> b, Vector512<ulong> c, ulong firstLane, ulong lanes, ulong length)
    {
        Vector512<ulong> lane = Vector512<ulong>.Indices + Vector512.Create(firstLane);
        Vector512<ulong> w = lane + Vector512.Create(length);
        Vector512<ulong> wa = w * a, lb = b * lanes;
        Vector512<ulong> s2 = (w * wa)
            - (lb * ((lane + lane) + Vector512.Create((2 * length) + lanes)))
            + (c * (2 * lanes * lanes));
        return (wa - lb, s2);
    }

    private void Add(uint start, ulong s0, ulong s1, ulong s2)
    {
        Debug.Assert(s0 > 0, "an empty piece has no mean");
        int stepScale = _layout.StepScaleOf(start);
        ulong midpoint = _layout.MidpointOf(start);
        _sum += ((UInt128)midpoint * s0) + ((UInt128)s1 << stepScale);

        // S0·S2 − S1² is S0 times the sum of squared distances from the mean, in steps. It is exact and not negative (Cauchy-Schwarz).
        double step = 1UL << stepScale;
        double squares = s0 < SmallLimit ? (s0 * s2) - (s1 * s1) : (double)(((UInt128)s0 * s2) - ((UInt128)s1 * s1));
        squares /= s0;
        _pieces[_pieceCount++] = new Piece(s0, midpoint + (step * ((double)s1 / s0)), squares * step * step);
    }

    /// <summary>Adds a piece with counts of any size. It is read twice, so no thread may write to it.</summary>
    private void AddScalar(uint start, ReadOnlySpan<ulong> piece)
    {
        ulong s0 = 0;
        UInt128 s1 = 0;
        for (int j = 0; j < piece.Length; j++)
        {
            s0 += piece[j];
            s1 += (UInt128)piece[j] * (uint)j;
        }

        if (s0 == 0)
        {
            return; // 2⁶⁴ values: totals wrap
        }

        // Split the quotient, so that counts at a single index have exactly this index as their mean. The rounding of any other mean shifts
        // all distances equally; its effect on the squares is subtracted below.
        (UInt128 whole, UInt128 rest) = UInt128.DivRem(s1, s0);
        double meanPlace = (double)whole + ((double)rest / s0);
        double squares = 0;
        double drift = 0;
        for (int j = 0; j < piece.Length; j++)
        {
            double distance = j - meanPlace;
            double weighted = piece[j] * distance;
            squares += weighted * distance;
            drift += weighted;
        }

        squares = Math.Max(squares - (drift * drift / s0), 0);
        int stepScale = _layout.StepScaleOf(start);
        ulong midpoint = _layout.MidpointOf(start);
        _sum += ((UInt128)midpoint * s0) + (s1 << stepScale);
        double step = 1UL << stepScale;
        _pieces[_pieceCount++] = new Piece(s0, midpoint + (step * meanPlace), squares * step * step);
    }

    private readonly CounterMoments Combine()
    {
        ReadOnlySpan<Piece> pieces = _pieces[.._pieceCount];
        ulong total = 0;
        foreach (ref readonly Piece piece in pieces)
        {
            total += piece.Count;
        }

        if (total == 0)
        {
            return default;
        }

        (UInt128 whole, UInt128 rest) = UInt128.DivRem(_sum, total);
        double mean = (double)whole + ((double)rest / total);
        double squares = 0;
        foreach (ref readonly Piece piece in pieces)
        {
            double distance = piece.Mean - mean;
            squares += piece.Squares + (piece.Count * distance * distance);
        }

        return new CounterMoments(total, (double)_sum, mean, Math.Sqrt(squares / total));
    }

    /// <summary>The result for a piece: the count, the mean, and the sum of squared distances from the mean.</summary>
    private readonly struct Piece(ulong count, double mean, double squares)
    {
        public const int Words = 3;

        public readonly ulong Count = count;
        public readonly double Mean = mean;
        public readonly double Squares = squares;
    }
}

/// <summary>The total count, sum, mean and population standard deviation of a histogram's values, computed from the midpoints of the
/// buckets.</summary>
internal readonly record struct CounterMoments(ulong Total, double Sum, double Mean, double StDev);
