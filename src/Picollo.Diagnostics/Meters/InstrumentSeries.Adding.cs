using System.Diagnostics.Metrics;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Meters;

/// <content>
/// The slow path of a measurement: tags in another order or with values that are compared by their text, new tags, and the overflow.
/// <para>Tags are first normalized: they are sorted by key, only the last value of a duplicate key is kept, values are replaced by their
/// text, and tags whose text is empty are removed, because they are not labels in an exposition. Each series has a slot for the normalized
/// tags. If a measurement with another order, or with values of another type and the same text, finds this slot, it gets an additional slot
/// while there is space, so that its next lookup is fast.</para>
/// <para>No lock is held while code of the application can run (the text of values, and the registry, whose lock the application's own
/// <c>GetOrAdd</c> holds while it creates a histogram). Therefore, a new series takes three steps: reserve, register, publish. Two threads
/// can register the same series concurrently; the registry has one histogram for both.</para>
/// </content>
internal sealed partial class InstrumentSeries
{
    private const int TagsOnStack = 16;

    // The average number of additional slots per series, for other orders and types of its tags.
    private const int OrdersPerSeries = 3;

    // The factory rounds this to 0.78 %. A page of counters, 512 bytes, covers a factor of four.
    private static readonly ThreadLocalHdrHistogramFactory<uint> Factory =
        HdrHistogram.Factory.WithRelativeError(0.01).WithMaxTrackableValue(long.MaxValue).WithThreadLocal();

    private readonly Lock _gate = new();
    private readonly HdrHistogramRegistry _registry;
    private readonly MeterCounts _counts;
    private readonly MeterUnit _unit;
    private readonly string _meter;
    private readonly string _instrument;
    private readonly int _maxSeries;
    private readonly KeyValuePair<string, string>[] _ownLabels; // the labels of the meter and the instrument

    // The histograms by their labels. Null until the histogram is registered. Guarded by the gate.
    private readonly Dictionary<string, ThreadLocalHdrHistogram<uint>?> _series = new(StringComparer.Ordinal);
    private int _pending; // the number of reserved, unpublished series; guarded by the gate
    private int _slotCount; // written with the gate held
    private int _orderCount; // the number of additional slots; written with the gate held
    private bool _isFull; // the maximum number of series is published; set once, with the gate held
    private ThreadLocalHdrHistogram<uint>? _overflow;
    private Binding? _binding;

    public InstrumentSeries(Instrument instrument, MeterUnit unit, HdrHistogramRegistry registry, MeterCounts counts, int maxSeries)
    {
        (_scale, _unit, _registry, _counts, _maxSeries) = (unit.Scale, unit, registry, counts, maxSeries);
        (_meter, _instrument) = (instrument.Meter.Name, instrument.Name);
        _ownLabels =
        [
            .. (instrument.Meter.Tags ?? []).Concat(instrument.Tags ?? [])
                .Select(tag => new KeyValuePair<string, string>(TagText.FormatKey(tag.Key), TagText.Cut(TagText.Format(tag.Value))))
                .Where(label => label.Value.Length > 0),
        ];
    }

    public string OwnLabels => HdrHistogramRegistry.KeyOf(_ownLabels);

    /// <summary>The number of slots in the table: at most one per series, and the additional slots.</summary>
    internal int SlotCount => Volatile.Read(ref _slotCount);

    private int MaxOrders => OrdersPerSeries * _maxSeries;

    /// <summary>Returns the histogram of tags that <see cref="Find"/> does not find: the series of the tags, which is created if it is new,
    /// or the overflow series.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ThreadLocalHdrHistogram<uint> FindOrAdd(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        TagBuffer buffer = default;
        Span<KeyValuePair<string, object?>> space = buffer;
        space = tags.Length <= TagsOnStack ? space : new KeyValuePair<string, object?>[tags.Length];
        Span<KeyValuePair<string, object?>> sorted = SortInto(space, tags);

        // The order matters: a reader that sees that all series are published also finds each of them.
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

    /// <summary>Copies tags in the normalized form, which is the same for all orders and types. Text is not truncated, because that would
    /// allocate. No lock may be held.</summary>
    private static Span<KeyValuePair<string, object?>> SortInto(
        Span<KeyValuePair<string, object?>> sorted, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        int count = 0;
        foreach ((string given, object? value) in tags)
        {
            string key = TagText.FormatKey(given);
            int index = count;
            int order = -1;
            while (index > 0 && (order = string.CompareOrdinal(sorted[index - 1].Key, key)) > 0)
            {
                index--;
            }

            bool isPresent = index > 0 && order == 0;
            if (!isPresent)
            {
                sorted[index..count].CopyTo(sorted[(index + 1)..]);
                count++;
            }

            sorted[isPresent ? index - 1 : index] = new(key, TagText.Format(value));
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

    /// <summary>Adds a series; returns null if the maximum number of series exists.</summary>
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

    /// <summary>Adds a slot for tags in their measured order, unless the table already has one, or their values cannot be
    /// compared.</summary>
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
        int index = SlotIndexOf(slot.Hash, slots);
        while (slots[index & (slots.Length - 1)] is not null)
        {
            index++;
        }

        Volatile.Write(ref slots[index & (slots.Length - 1)], slot);
    }

    /// <summary>Returns the labels of a series: those of the meter and the instrument, and the tags, which take precedence.</summary>
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

    /// <summary>Registers a series, or returns the histogram that is already registered with its labels.</summary>
    /// <remarks>All histograms of a name in a registry have the same unit. If the instrument's name is already used with another unit or
    /// another kind of histogram, the name is prefixed with the meter's name; if that name is also used, a number is appended.</remarks>
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
                // Another kind of histogram, or the description has changed since it was read.
            }
        }
    }

    private string NameOf(int attempt) => attempt switch
    {
        0 => _instrument,
        1 => $"{_meter}.{_instrument}",
        _ => string.Create(CultureInfo.InvariantCulture, $"{_meter}.{_instrument}.{attempt}"),
    };

    /// <summary>Returns the description for a name in the registry: the one that is already registered for the name, or else the
    /// instrument's own. Returns null if the units differ.</summary>
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
