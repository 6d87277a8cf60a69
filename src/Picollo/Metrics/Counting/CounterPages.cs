namespace Picollo.Metrics;

/// <summary>Stores the counters of a histogram's range in pages: pinned arrays that are allocated on first use.</summary>
/// <remarks>
/// <para>A page contains whole octaves: two blocks, because the first two blocks are one octave. It has at least 512 counters, so that
/// readers of a coarse histogram do not move to another page every few counters. The first and the last page are cut at the octaves that
/// contain the ends of the range.</para>
/// <para>Counter 0 is the first counter of the range. Counters of the first octave that are before the range have negative numbers.</para>
/// <para>If octaves are large and the range is much smaller than its octave, the page contains only the counters of the range. It is not
/// published: each record takes the slow path, which compares the value with the range.</para>
/// <para>Several threads may allocate the same page at the same time; all of them get the first one.</para>
/// </remarks>
internal readonly struct CounterPages<TCounter>
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private const int MinPageScale = 9;

    // From this block size on (8 KB of 32-bit counters), unused memory matters more than a fast record.
    private const int LargeBlock = 2048;

    private readonly TCounter[]?[] _pages;
    private readonly int _pageScale; // log2 of a page's length
    private readonly int _blockScale;
    private readonly int _unitScale;

    // Positions of counters, relative to the layout's origin.
    private readonly int _start; // of the first octave of the range
    private readonly int _end; // of its last octave
    private readonly int _offset; // of the range
    private readonly bool _isPublished;

    public CounterPages(CounterRange range)
    {
        HdrHistogramLayout layout = range.Layout;
        Length = range.Length;
        _blockScale = layout.BlockScale;
        _pageScale = Math.Max(_blockScale + 1, MinPageScale);
        _unitScale = layout.UnitScale;
        _offset = (int)(range.FirstIndex - layout.Origin);
        int last = _offset + Length - 1;
        int firstOctaveEnd = 2 * layout.BlockSize;
        _start = _offset < firstOctaveEnd ? 0 : _offset & -layout.BlockSize;
        _end = last < firstOctaveEnd ? firstOctaveEnd : (last | (layout.BlockSize - 1)) + 1;
        _isPublished = layout.BlockSize < LargeBlock || Length >= layout.BlockSize / 8;
        if (!_isPublished)
        {
            (_start, _end) = (_offset, _offset + Length);
        }

        _pages = new TCounter[]?[PageOf(_end - 1) + 1];
    }

    /// <summary>The number of counters in range.</summary>
    public int Length { get; }

    public long FootprintInBytes => Footprint.OfArray(_pages) + _pages.Sum(Footprint.OfArray);

    /// <summary>The range of counters from the first allocated page to the last.</summary>
    public Range Used
    {
        get
        {
            int first = Array.FindIndex(_pages, static page => page is not null);
            int last = Array.FindLastIndex(_pages, static page => page is not null);
            return first < 0
                ? ..0
                : Math.Max(StartOf(first) - _offset, 0)..Math.Min(StartOf(last) + _pages[last]!.Length - _offset, Length);
        }
    }

    public CounterView<TCounter> View(ReadOnlySpan<Carry> carries) => new(_pages, _pageScale, _start, _offset, Length, carries);

    /// <summary>Returns the number after the last counter in the page of <paramref name="number"/>, at most
    /// <paramref name="to"/>.</summary>
    public int EndOfPage(int number, int to) => View([]).EndOfPage(number, to);

    /// <summary>Returns the counter with a number. <paramref name="isNew"/> reports whether its page was allocated by this call.</summary>
    public ref TCounter CounterAt(int number, out bool isNew)
    {
        int place = number + _offset;
        int page = PageOf(place);
        TCounter[]? counters = Volatile.Read(ref _pages[page]);
        isNew = counters is null;
        return ref (counters ?? AddPage(page))[place - StartOf(page)];
    }

    /// <summary>Writes the addresses of the octaves in the page of a counter to the table, if pages contain whole octaves.</summary>
    public unsafe void Publish(int number, ref OctaveTable octaves)
    {
        if (!_isPublished)
        {
            return;
        }

        int page = PageOf(number + _offset);
        int start = StartOf(page);
        TCounter[] counters = _pages[page]!;
        TCounter* atOrigin = (TCounter*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(counters)) - start;
        for (int block = start >> _blockScale; block << _blockScale < start + counters.Length; block++)
        {
            // Blocks 0 and 1 are octave 0, which contains all values below two blocks. Block b is octave b - 1, whose shifted values start
            // at one block.
            int octave = Math.Max(block - 1, 0);
            int leadingZeros = 63 - _blockScale - _unitScale - octave;
            int end = octave == 0 ? OctaveTable.Length : leadingZeros + 1;
            for (; leadingZeros < end; leadingZeros++)
            {
                OctaveTable.Set(ref octaves, leadingZeros, atOrigin + (octave << _blockScale), _unitScale + octave);
            }
        }
    }

    public (ulong Underflow, ulong Overflow) SumOutOfRange() => (Sum(_start, _offset), Sum(_offset + Length, _end));

    private ulong Sum(int from, int to)
    {
        if (from == to || Volatile.Read(ref _pages[PageOf(from)]) is not { } counters)
        {
            return 0;
        }

        return CounterMath.Sum<TCounter>(counters.AsSpan(from - StartOf(PageOf(from)), to - from));
    }

    private TCounter[] AddPage(int page)
    {
        int end = Math.Min((page + (_start >> _pageScale) + 1) << _pageScale, _end);
        TCounter[] counters = GC.AllocateArray<TCounter>(end - StartOf(page), pinned: true);
        return Interlocked.CompareExchange(ref _pages[page], counters, null) ?? counters;
    }

    private int PageOf(int place) => (place >> _pageScale) - (_start >> _pageScale);

    private int StartOf(int page) => Math.Max((page + (_start >> _pageScale)) << _pageScale, _start);
}

/// <summary>A reader's view of a histogram's counts: counters in pages that are allocated on first use, with their carries. A counter in a
/// page that is not allocated reads as 0.</summary>
internal readonly ref struct CounterView<TCounter>
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private const int LargestPageScale = 30;

    private readonly Span<TCounter[]?> _pages;
    private readonly int _pageScale;
    private readonly int _start; // the start of the first page; like _offset, relative to the layout's origin
    private readonly int _offset; // of counter 0
    private readonly ReadOnlySpan<Carry> _carries; // their counters are in allocated pages

    public CounterView(
        Span<TCounter[]?> pages, int pageScale, int start, int offset, int length, ReadOnlySpan<Carry> carries = default)
    {
        _carries = carries;
        _pages = pages;
        _pageScale = pageScale;
        _start = start;
        _offset = offset;
        Length = length;
    }

    /// <summary>Returns a view of a part of one array, which is a single page.</summary>
    public static CounterView<TCounter> FromArray(ref TCounter[]? counters, int first, int length) =>
        new(new(ref counters), LargestPageScale, start: 0, offset: first, length);

    public int Length { get; }

    public ReadOnlySpan<Carry> CarriesIn(int from, int to) => Carry.InRange(_carries, from, to);

    /// <summary>Returns the counters in [<paramref name="from"/>, <paramref name="to"/>) without their carries. The counters must be in one
    /// page; the result is empty if it is not allocated.</summary>
    public ReadOnlySpan<TCounter> Slice(int from, int to)
    {
        int page = (from + _offset) >> _pageScale;
        int start = Math.Max(page << _pageScale, _start);
        return Volatile.Read(ref _pages[page - (_start >> _pageScale)]) is { } counters
            ? new ReadOnlySpan<TCounter>(counters, from + _offset - start, to - from)
            : [];
    }

    /// <summary>Returns the number after the last counter in the page of <paramref name="number"/>, at most
    /// <paramref name="to"/>.</summary>
    public int EndOfPage(int number, int to) =>
        Math.Min(((((number + _offset) >> _pageScale) + 1) << _pageScale) - _offset, to);

    public void AddTo(Span<ulong> sums, Range range)
    {
        for (int from = range.Start.Value, to; from < range.End.Value; from = to)
        {
            to = EndOfPage(from, range.End.Value);
            CounterMath.Add(Slice(from, to), sums[from..]);
        }

        foreach (Carry carry in CarriesIn(range.Start.Value, range.End.Value))
        {
            sums[carry.Number] += carry.Count;
        }
    }

    /// <summary>Writes the differences from the previous counts to <paramref name="deltas"/> and the current counts to
    /// <paramref name="last"/>. For a page that is not allocated, both remain unchanged: they are 0, because pages are never
    /// removed.</summary>
    public void ReadDeltas(Span<ulong> last, Span<ulong> deltas)
    {
        for (int from = 0, to; from < Length; from = to)
        {
            to = EndOfPage(from, Length);
            if (CarriesIn(from, to).IsEmpty)
            {
                CounterMath.ReadDeltas(Slice(from, to), last[from..], deltas[from..]);
            }
            else
            {
                CopyAndSum(from, to, deltas[from..]);
                CounterMath.ReadDeltas<ulong>(deltas[from..to], last[from..], deltas[from..]);
            }
        }
    }

    public void CopyTo(Span<ulong> copy, Range range) => CopyAndSum(range.Start.Value, range.End.Value, copy[range.Start.Value..]);

    /// <summary>Copies the counts in [<paramref name="from"/>, <paramref name="to"/>) and returns their sum; wraps at 2⁶⁴.</summary>
    public ulong CopyAndSum(int from, int to, Span<ulong> copy)
    {
        ulong sum = 0;
        for (int start = from, end; start < to; start = end)
        {
            end = EndOfPage(start, to);
            ReadOnlySpan<TCounter> counters = Slice(start, end);
            Span<ulong> copied = copy[(start - from)..(end - from)];
            if (counters.IsEmpty)
            {
                copied.Clear();
            }
            else
            {
                sum += CounterMath.CopyAndSum(counters, copied);
            }
        }

        foreach (Carry carry in CarriesIn(from, to))
        {
            copy[carry.Number - from] += carry.Count;
            sum += carry.Count;
        }

        return sum;
    }
}
