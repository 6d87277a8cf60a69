namespace Picollo.Metrics;

/// <summary>The part of a count that does not fit in its 32-bit counter. The number of the counter is outside the range for a counter that
/// is only in one of the range's octaves.</summary>
internal readonly record struct Carry(int Number, ulong Count)
{
    /// <summary>Returns the carries of the counters from the first to before the last, in the order of the counters.</summary>
    public static ReadOnlySpan<Carry> InRange(ReadOnlySpan<Carry> carries, int from, int to) =>
        carries.IsEmpty ? carries : carries[IndexOfFirst(carries, from)..IndexOfFirst(carries, to)];

    /// <summary>Adds a count to the carry of a counter, and keeps the order. Adding to counters in ascending order, as readers of encoded
    /// histograms do, moves nothing.</summary>
    public static void Add(List<Carry> carries, int number, ulong count)
    {
        int index = IndexOfFirst(CollectionsMarshal.AsSpan(carries), number);
        if (index < carries.Count && carries[index].Number == number)
        {
            carries[index] = new Carry(number, carries[index].Count + count);
        }
        else
        {
            carries.Insert(index, new Carry(number, count));
        }
    }

    /// <summary>Returns the index of the first carry whose counter has at least this number.</summary>
    private static int IndexOfFirst(ReadOnlySpan<Carry> carries, int number)
    {
        int from = 0, to = carries.Length;
        while (from < to)
        {
            int middle = (from + to) / 2;
            (from, to) = carries[middle].Number < number ? (middle + 1, to) : (from, middle);
        }

        return from;
    }
}
