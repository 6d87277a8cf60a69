using System.Numerics;

namespace Picollo.Metrics;

/// <summary>A reader's view of a histogram's counts: one array, or counters in pages that are allocated on first use, with their carries. A
/// counter in a page that is not allocated reads as 0.</summary>
internal readonly ref struct CounterView<TCounter>
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly ReadOnlySpan<TCounter> _all; // used without pages
    private readonly int _usedFrom, _usedTo; // the range of _all that is read
    private readonly Span<TCounter[]?> _pages;
    private readonly int _pageScale;
    private readonly int _start; // the start of the first page; like _offset, relative to the layout's origin
    private readonly int _offset; // of counter 0
    private readonly ReadOnlySpan<Carry> _carries; // their counters are in allocated pages

    public CounterView(ReadOnlySpan<TCounter> counters)
        : this(counters, ..counters.Length)
    {
    }

    /// <summary>Creates a view of one array. Counters outside <paramref name="used"/> read as 0, whatever the array contains there. No
    /// slice may cross the limits of this range.</summary>
    public CounterView(ReadOnlySpan<TCounter> counters, Range used)
    {
        _all = counters;
        (_usedFrom, _usedTo) = (used.Start.Value, used.End.Value);
        Length = counters.Length;
        _pageScale = 31;
    }

    public CounterView(Span<TCounter[]?> pages, int pageScale, int start, int offset, int length, ReadOnlySpan<Carry> carries)
    {
        _carries = carries;
        _pages = pages;
        _pageScale = pageScale;
        _start = start;
        _offset = offset;
        Length = length;
    }

    public int Length { get; }

    public static implicit operator CounterView<TCounter>(ReadOnlySpan<TCounter> counters) => new(counters);

    /// <summary>Returns the carries of the counters in [<paramref name="from"/>, <paramref name="to"/>).</summary>
    public ReadOnlySpan<Carry> CarriesIn(int from, int to) => Carry.InRange(_carries, from, to);

    /// <summary>Returns the counters in [<paramref name="from"/>, <paramref name="to"/>) without their carries. The counters must be in one
    /// page; the result is empty if it is not allocated.</summary>
    public ReadOnlySpan<TCounter> Slice(int from, int to)
    {
        if (_pages.IsEmpty)
        {
            return from >= _usedFrom && to <= _usedTo ? _all[from..to] : [];
        }

        int page = (from + _offset) >> _pageScale;
        int start = Math.Max(page << _pageScale, _start);
        return Volatile.Read(ref _pages[page - (_start >> _pageScale)]) is { } counters
            ? new ReadOnlySpan<TCounter>(counters, from + _offset - start, to - from)
            : [];
    }

    /// <summary>Returns the number after the last counter in the page of <paramref name="number"/>, at most
    /// <paramref name="to"/>.</summary>
    public int EndOfPage(int number, int to) =>
        _pages.IsEmpty ? to : Math.Min(((((number + _offset) >> _pageScale) + 1) << _pageScale) - _offset, to);

    /// <summary>Adds each count of a range to the sum with the same index.</summary>
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

    /// <summary>Copies each count of a range to the same index.</summary>
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
