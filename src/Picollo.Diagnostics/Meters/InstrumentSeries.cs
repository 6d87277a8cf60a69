using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Meters;

/// <summary>The histograms of an instrument by tags: the way of a measurement into one of them.</summary>
/// <remarks>
/// <para>A measurement takes no lock and writes to nothing but the counters of its thread. It hashes the values of its tags, finds the slot
/// with these tags in a table that is only added to, and records. All else, the first measurement of a set of tags included, is in the
/// other file.</para>
/// <para>State is passed to the runtime with the instrument (<c>EnableMeasurementEvents</c>), so that no look-up by instrument is
/// needed.</para>
/// </remarks>
internal sealed partial class InstrumentSeries
{
    // The bits of 2⁶³ as a double. Those of every smaller number that is not negative are smaller, as integers too; those of negative
    // numbers, of −0, of larger numbers, of infinities and of NaN are not. One comparison finds all of them.
    private const ulong BitsOfLimit = 0x43E0_0000_0000_0000;

    // Read by each measurement.
    private readonly double _scale;
    private SeriesSlot?[] _slots = new SeriesSlot?[16]; // a power of two, at most half full, probed one by one from the hash
    private ThreadLocalHdrHistogram<uint>? _untagged; // null until something was measured without tags

    /// <summary>Records a measurement of a fraction.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Record(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        double steps = value * _scale;
        if (BitConverter.DoubleToUInt64Bits(steps) >= BitsOfLimit)
        {
            RecordRare(value, tags);
            return;
        }

        // Rounded to the nearest. The native conversion is one instruction; that of a cast has more, for what was tested above.
        RecordSteps((ulong)double.ConvertToIntegerNative<long>(steps + 0.5), tags);
    }

    /// <summary>Records a measurement of an integer.</summary>
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

    /// <summary>What is not a number from 0 to below 2⁶³ steps: counted without a series if it is negative or NaN, and out of the range of
    /// the histogram of its tags if it is too large.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordRare(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
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
        // Records through the sealed type, so that there is no virtual call. A histogram of the application's own, which it registered
        // under this name, may be disposed.
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

    /// <summary>The histogram of exactly these tags in this order; null if there is none.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ThreadLocalHdrHistogram<uint>? Find(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        ulong hash = TagIdentity.HashOf(tags);

        // Slots are immutable and published when they are complete, and a table is never reduced: no lock, and no second look.
        SeriesSlot?[] slots = _slots;
        ref SeriesSlot? first = ref MemoryMarshal.GetArrayDataReference(slots);
        for (int at = PlaceOf(hash, slots); ; at++)
        {
            SeriesSlot? slot = Unsafe.Add(ref first, at & (slots.Length - 1)); // below the length, which is a power of two
            if (slot is null)
            {
                return null;
            }

            if (slot.Hash == hash && TagIdentity.AreSame(slot.Tags, tags))
            {
                return slot.Histogram;
            }
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int PlaceOf(ulong hash, SeriesSlot?[] slots) => (int)(hash >> 40) & (slots.Length - 1);

    /// <summary>A list of tags with the histogram that is recorded into. Several may have one histogram: the orders of the same
    /// tags.</summary>
    /// <param name="hash">The hash of the tags.</param>
    /// <param name="tags">The tags, not to be changed; values are comparable and text is not longer than counts.</param>
    /// <param name="histogram">The histogram.</param>
    private sealed class SeriesSlot(ulong hash, KeyValuePair<string, object?>[] tags, ThreadLocalHdrHistogram<uint> histogram)
    {
        public readonly ulong Hash = hash;
        public readonly KeyValuePair<string, object?>[] Tags = tags;
        public readonly ThreadLocalHdrHistogram<uint> Histogram = histogram;
    }
}
