using Picollo.Metrics;

namespace Picollo.Diagnostics.Meters;

/// <summary>The histograms of an instrument by tags, with the fast path of a measurement.</summary>
/// <remarks>
/// <para>A measurement takes no lock and writes only to the counters of its thread. It hashes the values of its tags, finds the slot with
/// these tags in an append-only table, and records. The other file has the slow path, including the first measurement of a set of
/// tags.</para>
/// <para>The state is passed to the runtime with the instrument (<c>EnableMeasurementEvents</c>), so no lookup by instrument is
/// needed.</para>
/// </remarks>
internal sealed partial class InstrumentSeries
{
    // The bits of 2⁶³ as a double. Smaller non-negative numbers have smaller bits as integers. Negative numbers, −0, larger numbers,
    // infinities and NaN do not. One comparison therefore detects all of them.
    private const ulong BitsOfLimit = 0x43E0_0000_0000_0000;

    // The fields that each measurement reads.
    private readonly double _scale;
    private SeriesSlot?[] _slots = new SeriesSlot?[16]; // a power of two, at most half full, probed one by one from the hash
    private ThreadLocalHdrHistogram<uint>? _untagged; // null before the first measurement without tags

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Record(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        double steps = value * _scale;
        if (BitConverter.DoubleToUInt64Bits(steps) >= BitsOfLimit)
        {
            RecordSpecial(value, tags);
            return;
        }

        // Rounds to the nearest integer. The native conversion is one instruction; a cast needs more to handle the values excluded above.
        RecordSteps((ulong)double.ConvertToIntegerNative<long>(steps + 0.5), tags);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Record(long value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (_scale == 1 && value >= 0)
        {
            RecordSteps((ulong)value, tags);
        }
        else
        {
            RecordScaled(value, tags);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordScaled(long value, ReadOnlySpan<KeyValuePair<string, object?>> tags) => Record((double)value, tags);

    /// <summary>Handles values that are not between 0 and 2⁶³ steps. Negative values and NaN are counted without a series. Values that are
    /// too large are counted as out of range in the histogram of their tags.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordSpecial(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (double.IsNaN(value) || double.IsPositiveInfinity(value))
        {
            Interlocked.Increment(ref _counts.NaN);
        }
        else if (value < 0)
        {
            Interlocked.Increment(ref _counts.Negative);
        }
        else
        {
            RecordSteps(value == 0 ? 0 : ulong.MaxValue, tags); // 0 is −0 here
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void RecordSteps(ulong steps, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        // Records through the sealed type, so that there is no virtual call. If the application itself registered a histogram under this
        // name, it can dispose it.
        ThreadLocalHdrHistogram<uint>? histogram = tags.IsEmpty ? _untagged : Find(tags);
        if (histogram is not null)
        {
            histogram.RecordUnlessDisposed(steps);
        }
        else
        {
            FindOrAdd(tags).RecordUnlessDisposed(steps);
        }
    }

    /// <summary>Returns the histogram for exactly these tags in this order; null if there is none.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ThreadLocalHdrHistogram<uint>? Find(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        ulong hash = TagIdentity.HashOf(tags);

        // Slots are immutable and published when complete, and a table never shrinks, so neither a lock nor a second read is needed.
        SeriesSlot?[] slots = _slots;
        ref SeriesSlot? first = ref MemoryMarshal.GetArrayDataReference(slots);
        for (int index = SlotIndexOf(hash, slots); ; index++)
        {
            SeriesSlot? slot = Unsafe.Add(ref first, index & (slots.Length - 1)); // below the length, which is a power of two
            if (slot is null)
            {
                return null;
            }

            if (slot.Hash == hash && TagIdentity.AreEqual(slot.Tags, tags))
            {
                return slot.Histogram;
            }
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int SlotIndexOf(ulong hash, SeriesSlot?[] slots) => (int)(hash >> 40) & (slots.Length - 1);

    /// <summary>A list of tags with its histogram. Several slots can have the same histogram, for different orders of the same
    /// tags. The tags must not be changed. Their values are comparable, and their text is truncated.</summary>
    private sealed class SeriesSlot(ulong hash, KeyValuePair<string, object?>[] tags, ThreadLocalHdrHistogram<uint> histogram)
    {
        public readonly ulong Hash = hash;
        public readonly KeyValuePair<string, object?>[] Tags = tags;
        public readonly ThreadLocalHdrHistogram<uint> Histogram = histogram;
    }
}

/// <summary>The counts that all instruments share. Any thread can write them.</summary>
internal sealed class MeterCounts
{
    public long Negative;
    public long NaN;
    public long Overflow;
    public int Series;
}
