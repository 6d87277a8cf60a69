using System.Numerics;

namespace Picollo.Metrics;

/// <summary>A histogram's counters for a reader: one array, or pages of which some do not exist because nothing was counted in them. A
/// counter of a page that does not exist reads as 0.</summary>
internal readonly ref struct CounterView<TCounter>
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly ReadOnlySpan<TCounter> _all; // where there are no pages
    private readonly int _usedFrom, _usedTo; // of them; outside they are not looked at
    private readonly Span<TCounter[]?> _pages;
    private readonly int _pageScale;
    private readonly int _start; // where the first page begins; like the offset, a place that is counted as pages are
    private readonly int _offset; // of counter 0

    public CounterView(ReadOnlySpan<TCounter> counters)
        : this(counters, ..counters.Length)
    {
    }

    /// <summary>One array, in which all is 0 outside <paramref name="used"/>, whatever stands there. No slice may cross its
    /// limits.</summary>
    public CounterView(ReadOnlySpan<TCounter> counters, Range used)
    {
        _all = counters;
        (_usedFrom, _usedTo) = (used.Start.Value, used.End.Value);
        Length = counters.Length;
        _pageScale = 31;
    }

    public CounterView(Span<TCounter[]?> pages, int pageScale, int start, int offset, int length)
    {
        _pages = pages;
        _pageScale = pageScale;
        _start = start;
        _offset = offset;
        Length = length;
    }

    public int Length { get; }

    public static implicit operator CounterView<TCounter>(ReadOnlySpan<TCounter> counters) => new(counters);

    /// <summary>The counters from a number to before another, which lie in one page; none if it does not exist.</summary>
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

    /// <summary>The number after the last counter that lies in the same page as <paramref name="number"/>, at most
    /// <paramref name="to"/>.</summary>
    public int EndOfPage(int number, int to) =>
        _pages.IsEmpty ? to : Math.Min(((((number + _offset) >> _pageScale) + 1) << _pageScale) - _offset, to);

    /// <summary>Adds each counter of a range to the sum at the same place.</summary>
    public void AddTo(Span<ulong> sums, Range range)
    {
        for (int from = range.Start.Value, to; from < range.End.Value; from = to)
        {
            to = EndOfPage(from, range.End.Value);
            CounterMath.Add(Slice(from, to), sums[from..]);
        }
    }

    /// <summary>Writes what was added to the counters since the last counts, and the counters as the next last counts. Where a page does
    /// not exist, both are left as they are, which is 0: a page that exists stays.</summary>
    public void ReadDeltas(Span<ulong> last, Span<ulong> deltas)
    {
        for (int from = 0, to; from < Length; from = to)
        {
            to = EndOfPage(from, Length);
            CounterMath.ReadDeltas(Slice(from, to), last[from..], deltas[from..]);
        }
    }

    /// <summary>Copies each counter to the same place.</summary>
    public void CopyTo(Span<ulong> copy, Range range) => CopyAndSum(range.Start.Value, range.End.Value, copy[range.Start.Value..]);

    /// <summary>Copies the counters from a number to before another and returns their sum; wraps at 2⁶⁴.</summary>
    public ulong CopyAndSum(int from, int to, Span<ulong> copy)
    {
        ulong sum = 0;
        for (int end; from < to; from = end)
        {
            end = EndOfPage(from, to);
            ReadOnlySpan<TCounter> counters = Slice(from, end);
            if (counters.IsEmpty)
            {
                copy[..(end - from)].Clear();
            }
            else
            {
                sum += CounterMath.CopyAndSum(counters, copy);
            }

            copy = copy[(end - from)..];
        }

        return sum;
    }
}
