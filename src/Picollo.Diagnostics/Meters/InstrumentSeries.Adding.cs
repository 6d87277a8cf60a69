using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Meters;

/// <content>
/// What is not in the table: tags in another order or with values that are compared by their text, new tags, and too many.
/// <para>Tags are first brought into one form: sorted by their keys, the last one of a key, values replaced by their text, and without
/// those whose text is empty, which are no labels in an exposition. Each series has a slot of this form. A measurement in another order, or
/// with values of another type and the same text, that finds it gets one more slot, as long as there is room, so that its next one is
/// fast.</para>
/// <para>No lock is held while code of the application may run (the text of values, and the registry, whose lock the application's own
/// <c>GetOrAdd</c> holds while it creates a histogram). Hence the three steps of a new series: reserve it, register it, publish it. Two
/// threads may register the same series at once; the registry has one histogram for both.</para>
/// </content>
internal sealed partial class InstrumentSeries
{
    private const int TagsOnStack = 16;

    // Further orders and types of the tags of a series that have a slot of their own, on average.
    private const int OrdersPerSeries = 3;

    // 0.78 %: a page of counters, 512 bytes, covers a factor of four.
    private static readonly ThreadLocalHdrHistogramFactory<uint> Factory =
        HdrHistogram.Factory.WithRelativeError(0.01).WithMaxTrackableValue(long.MaxValue).WithThreadLocal();

    private readonly Lock _gate = new();
    private readonly HdrHistogramRegistry _registry;
    private readonly MeterCounts _counts;
    private readonly MeterUnit _unit;
    private readonly string _meter;
    private readonly string _instrument;
    private readonly int _maxSeries;
    private readonly KeyValuePair<string, string>[] _ownLabels; // of the meter and the instrument

    // By labels. Null until the histogram is registered. Guarded by the gate.
    private readonly Dictionary<string, ThreadLocalHdrHistogram<uint>?> _series = new(StringComparer.Ordinal);
    private int _pending; // series that are reserved and not published; guarded by the gate
    private int _slotCount; // written with the gate held
    private int _orderCount; // of the slots, those that are not the first of a series; written with the gate held
    private bool _isFull; // all series that there may be are published; set once, with the gate held
    private ThreadLocalHdrHistogram<uint>? _overflow;
    private Binding? _binding;

    public InstrumentSeries(Instrument instrument, MeterUnit unit, HdrHistogramRegistry registry, MeterCounts counts, int maxSeries)
    {
        (_scale, _unit, _registry, _counts, _maxSeries) = (unit.Scale, unit, registry, counts, maxSeries);
        (_meter, _instrument) = (instrument.Meter.Name, instrument.Name);
        _ownLabels =
        [
            .. (instrument.Meter.Tags ?? []).Concat(instrument.Tags ?? [])
                .Select(tag => new KeyValuePair<string, string>(TagText.OfKey(tag.Key), TagText.Cut(TagText.Of(tag.Value))))
                .Where(label => label.Value.Length > 0),
        ];
    }

    /// <summary>The labels of the meter and the instrument as one text.</summary>
    public string OwnLabels => HdrHistogramRegistry.KeyOf(_ownLabels);

    /// <summary>The number of slots in the table: at most one for each series and those of further orders.</summary>
    internal int SlotCount => Volatile.Read(ref _slotCount);

    private int MaxOrders => OrdersPerSeries * _maxSeries;

    /// <summary>The histogram of tags that <see cref="Find"/> does not find: theirs, made now if it is new, or that of the
    /// overflow.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ThreadLocalHdrHistogram<uint> FindOrAdd(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        TagBuffer buffer = default;
        Span<KeyValuePair<string, object?>> room = buffer;
        room = tags.Length <= TagsOnStack ? room : new KeyValuePair<string, object?>[tags.Length];
        Span<KeyValuePair<string, object?>> sorted = SortInto(room, tags);

        // In this order: who sees that all series are published finds each of them.
        bool isFull = Volatile.Read(ref _isFull);
        ThreadLocalHdrHistogram<uint>? histogram = sorted.IsEmpty ? Volatile.Read(ref _untagged) : Find(sorted);
        histogram ??= isFull ? null : TryAdd(sorted);
        if (histogram is null)
        {
            Interlocked.Increment(ref _counts.Overflow);
            return Volatile.Read(ref _overflow) ?? AddOverflow();
        }

        AddOrder(tags, histogram);
        return histogram;
    }

    /// <summary>Copies tags in the form that is the same for all orders and types. Text is not cut, because that would allocate. No lock
    /// may be held.</summary>
    private static Span<KeyValuePair<string, object?>> SortInto(
        Span<KeyValuePair<string, object?>> sorted, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        int count = 0;
        foreach ((string given, object? value) in tags)
        {
            string key = TagText.OfKey(given);
            int at = count;
            int order = -1;
            while (at > 0 && (order = string.CompareOrdinal(sorted[at - 1].Key, key)) > 0)
            {
                at--;
            }

            bool isThere = at > 0 && order == 0;
            if (!isThere)
            {
                sorted[at..count].CopyTo(sorted[(at + 1)..]);
                count++;
            }

            sorted[isThere ? at - 1 : at] = new(key, TagText.Of(value));
        }

        int kept = 0;
        foreach (KeyValuePair<string, object?> tag in sorted[..count])
        {
            if (tag.Value is not "")
            {
                sorted[kept++] = tag;
            }
        }

        return sorted[..kept];
    }

    /// <summary>Adds a series; null if there are as many as there may be.</summary>
    private ThreadLocalHdrHistogram<uint>? TryAdd(ReadOnlySpan<KeyValuePair<string, object?>> sorted)
    {
        KeyValuePair<string, string>[] labels = LabelsOf(sorted);
        string key = HdrHistogramRegistry.KeyOf(labels);
        bool isNew = false;
        ThreadLocalHdrHistogram<uint>? histogram;
        lock (_gate)
        {
            if (!_series.TryGetValue(key, out histogram))
            {
                if (_series.Count >= _maxSeries)
                {
                    Volatile.Write(ref _isFull, _pending == 0);
                    return null;
                }

                isNew = true;
                _series.Add(key, null);
                _pending++;
                Interlocked.Increment(ref _counts.Series);
            }
        }

        histogram ??= Register(labels);
        lock (_gate)
        {
            _series[key] = histogram = _series[key] ?? histogram;
            if (sorted.IsEmpty)
            {
                Volatile.Write(ref _untagged, histogram);
            }
            else
            {
                AddSlot(Cut(sorted), histogram, isNew);
            }

            _pending -= isNew ? 1 : 0;
        }

        return histogram;
    }

    private ThreadLocalHdrHistogram<uint> AddOverflow()
    {
        ThreadLocalHdrHistogram<uint> histogram = Register([.. LabelsOf([]), new(TagText.OverflowKey, "true")]);
        return Interlocked.CompareExchange(ref _overflow, histogram, null) ?? histogram;
    }

    /// <summary>Adds a slot for tags in the order in which they are measured, unless the table has one, or their values cannot be in
    /// it.</summary>
    private void AddOrder(ReadOnlySpan<KeyValuePair<string, object?>> tags, ThreadLocalHdrHistogram<uint> histogram)
    {
        if (tags.IsEmpty || Volatile.Read(ref _orderCount) >= MaxOrders)
        {
            return;
        }

        foreach (ref readonly KeyValuePair<string, object?> tag in tags)
        {
            if (!TagIdentity.IsComparable(tag.Value))
            {
                return;
            }
        }

        AddSlot(Cut(tags), histogram, isFirst: false);
    }

    private static KeyValuePair<string, object?>[] Cut(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        KeyValuePair<string, object?>[] copy = tags.ToArray();
        foreach (ref KeyValuePair<string, object?> tag in copy.AsSpan())
        {
            tag = new(tag.Key is null ? null! : TagText.Cut(tag.Key), tag.Value is string text ? TagText.Cut(text) : tag.Value);
        }

        return copy;
    }

    private void AddSlot(KeyValuePair<string, object?>[] tags, ThreadLocalHdrHistogram<uint> histogram, bool isFirst)
    {
        lock (_gate)
        {
            if ((!isFirst && _orderCount >= MaxOrders) || Find(tags) is not null)
            {
                return;
            }

            SeriesSlot?[] slots = _slots;
            if (2 * (_slotCount + 1) > slots.Length)
            {
                slots = new SeriesSlot?[2 * slots.Length];
                foreach (SeriesSlot? slot in _slots)
                {
                    if (slot is not null)
                    {
                        Put(slots, slot);
                    }
                }
            }

            Put(slots, new SeriesSlot(TagIdentity.HashOf(tags), tags, histogram));
            Volatile.Write(ref _slots, slots);
            _slotCount++;
            _orderCount += isFirst ? 0 : 1;
        }
    }

    private static void Put(SeriesSlot?[] slots, SeriesSlot slot)
    {
        int at = PlaceOf(slot.Hash, slots);
        while (slots[at & (slots.Length - 1)] is not null)
        {
            at++;
        }

        Volatile.Write(ref slots[at & (slots.Length - 1)], slot);
    }

    /// <summary>The labels of a series: those of the meter and the instrument, and tags, which replace them.</summary>
    private KeyValuePair<string, string>[] LabelsOf(ReadOnlySpan<KeyValuePair<string, object?>> sorted)
    {
        SortedDictionary<string, string> labels = new(StringComparer.Ordinal);
        foreach ((string key, string value) in _ownLabels)
        {
            labels[key] = value;
        }

        foreach ((string key, object? value) in sorted)
        {
            labels[key] = TagText.Cut((string)value!);
        }

        return [.. labels];
    }

    /// <summary>Registers a series, or finds what is registered with its labels.</summary>
    /// <remarks>All histograms of a name in a registry have one unit. Where the instrument's name is taken with another, or by another kind
    /// of histogram, the meter's name is put before it, and then a number after it.</remarks>
    private ThreadLocalHdrHistogram<uint> Register(KeyValuePair<string, string>[] labels)
    {
        ThreadLocalHdrHistogram<uint> created = HdrHistogram.Owned(Factory.Create());
        Binding? binding = Volatile.Read(ref _binding);
        for (int attempt = binding?.Attempt ?? 0; ; attempt++)
        {
            if (binding?.Attempt != attempt)
            {
                string name = NameOf(attempt);
                binding = name.Length > 0 && DescriptionOf(name) is { } description ? new(attempt, name, description) : null;
            }

            if (binding is null)
            {
                continue;
            }

            try
            {
                ThreadLocalHdrHistogram<uint> registered = _registry.GetOrAdd(binding.Name, () => created, binding.Description, labels);
                Interlocked.CompareExchange(ref _binding, binding, null);
                return registered;
            }
            catch (ArgumentException)
            {
                // Another kind of histogram, or another description since it was looked up.
            }
        }
    }

    private string NameOf(int attempt) => attempt switch
    {
        0 => _instrument,
        1 => $"{_meter}.{_instrument}",
        _ => string.Create(CultureInfo.InvariantCulture, $"{_meter}.{_instrument}.{attempt}"),
    };

    /// <summary>The description of a name in the registry: the instrument's own, or the one that it already has; null if that has another
    /// unit.</summary>
    private HdrHistogramDescription? DescriptionOf(string name)
    {
        HdrHistogramDescription? there = _registry.Registrations.FirstOrDefault(registration => registration.Name == name)?.Description;
        return there is null || there.Unit == _unit.Description.Unit ? there ?? _unit.Description : null;
    }

    /// <summary>The name and description of the instrument's series in the registry.</summary>
    private sealed record Binding(int Attempt, string Name, HdrHistogramDescription Description);

    [InlineArray(TagsOnStack)]
    private struct TagBuffer
    {
        private KeyValuePair<string, object?> _first;
    }
}
