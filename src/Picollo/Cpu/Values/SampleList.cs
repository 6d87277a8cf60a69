using System.Collections;

namespace Picollo.Cpu;

/// <summary>The CPUs, processes or threads of a sample. The owner refills the list at the next sample.</summary>
internal sealed class SampleList<T> : IReadOnlyList<T>
    where T : struct
{
    private T[] _items = [];

    public int Count { get; private set; }

    public T this[int index] => (uint)index < (uint)Count
        ? _items[index]
        : throw new ArgumentOutOfRangeException(nameof(index), index, $"The index must be at least 0 and less than {Count}.");

    public ReadOnlySpan<T> AsSpan() => _items.AsSpan(0, Count);

    public IEnumerator<T> GetEnumerator() => new ArraySegment<T>(_items, 0, Count).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public void Clear() => Count = 0;

    public void Add(in T item)
    {
        if (Count == _items.Length)
        {
            Array.Resize(ref _items, Math.Max(16, 2 * Count));
        }

        _items[Count++] = item;
    }
}

/// <summary>The items of a sample in the order in which they were found, with a lookup by ID.</summary>
internal sealed class SampleTable<T>
    where T : struct
{
    private readonly Dictionary<long, int> _indexes = [];
    private readonly SampleList<T> _items = new();

    public ReadOnlySpan<T> Items => _items.AsSpan();

    public int Count => _items.Count;

    public void Clear()
    {
        _indexes.Clear();
        _items.Clear();
    }

    /// <summary>Adds an item unless its ID is already present: a listing that changes while it is read may contain an ID twice.</summary>
    public void Add(long id, in T item)
    {
        if (_indexes.TryAdd(id, _items.Count))
        {
            _items.Add(item);
        }
    }

    public bool TryFind(long id, out T item)
    {
        bool isKnown = _indexes.TryGetValue(id, out int index);
        item = isKnown ? Items[index] : default;
        return isKnown;
    }
}
