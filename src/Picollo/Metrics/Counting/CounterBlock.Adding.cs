namespace Picollo.Metrics;

/// <content>Addition of the counts of another histogram.</content>
internal sealed partial class CounterBlock<TCounter>
{
    public override bool TryAddTo(ICounterTarget target, ref List<(int Number, ulong Count)>? rest)
    {
        lock (Gate)
        {
            return target.TryAdd(View, ref rest);
        }
    }

    /// <summary>Adds counts to counters that only the calling thread writes. Takes no lock, because the caller may hold the lock of the
    /// counts' block. The counts have the same layout and range. The rest receives those that do not fit in a 32-bit counter.</summary>
    public void Add<TCount>(ref OctaveTable octaves, CounterView<TCount> counts, ref List<(int Number, ulong Count)>? rest)
        where TCount : unmanaged, IBinaryInteger<TCount>, IUnsignedNumber<TCount>
    {
        for (int from = 0, to; from < counts.Length; from = to)
        {
            to = _pages.EndOfPage(from, counts.EndOfPage(from, counts.Length));
            ReadOnlySpan<TCount> run = counts.Slice(from, to);
            if (!run.ContainsAnyExcept(TCount.Zero))
            {
                continue; // do not allocate a page for zeros
            }

            Span<TCounter> counters = CountersFrom(ref octaves, from, to);
            if (typeof(TCounter) == typeof(uint))
            {
                CounterMath.AddWhereFits(run, MemoryMarshal.Cast<TCounter, uint>(counters), from, ref rest);
            }
            else
            {
                CounterMath.Add(run, MemoryMarshal.Cast<TCounter, ulong>(counters));
            }
        }

        foreach (Carry carry in counts.CarriesIn(0, counts.Length))
        {
            (rest ??= []).Add((carry.Number, carry.Count));
        }
    }

    /// <summary>Adds counts to every 2^<paramref name="scale"/>th counter, starting at <paramref name="number"/>, all in one octave. The
    /// calling thread must be the only writer.</summary>
    public void AddRun(ref OctaveTable octaves, int number, int scale, ReadOnlySpan<ulong> counts)
    {
        int first = counts.IndexOfAnyExcept(0UL); // do not allocate a page for zeros
        if (first < 0)
        {
            return;
        }

        int from = Math.Max(number + (first << scale), 0); // the octave may start before the range
        bool isInRange = from < _pages.Length && number + ((counts.Length - 1) << scale) >= 0;
        Span<TCounter> counters = isInRange ? CountersFrom(ref octaves, from, _pages.Length) : [];
        if (typeof(TCounter) == typeof(ulong) && scale == 0 && from == number + first && counts.Length - first <= counters.Length)
        {
            CounterMath.Add(counts[first..], MemoryMarshal.Cast<TCounter, ulong>(counters));
            return;
        }

        for (int i = first; i < counts.Length; i++)
        {
            ulong count = counts[i];
            if (count == 0)
            {
                continue;
            }

            int place = number + (i << scale) - from;
            if ((uint)place >= (uint)counters.Length)
            {
                AddOutOfRange(below: place < 0, count);
            }
            else if (typeof(TCounter) == typeof(ulong))
            {
                Unsafe.As<TCounter, ulong>(ref counters[place]) += count;
            }
            else if (!CounterMath.TryAdd(ref Unsafe.As<TCounter, uint>(ref counters[place]), count))
            {
                Add(ref octaves, place + from, count);
            }
        }
    }
}
