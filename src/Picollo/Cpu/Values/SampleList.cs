using System.Collections;

namespace Picollo.Cpu;

/// <summary>The CPUs, processes or threads of a sample. The owner refills the list at the next sample.</summary>
/// <typeparam name="T">The type of the items.</typeparam>
/// <remarks><see cref="SystemCpu.Update"/> refills the list: copy items that must outlive the next sample (<c>[.. list]</c>), and end each
/// <c>foreach</c> before it. A <c>foreach</c> during which the list is refilled may return items of both samples. Indexing and
/// <c>foreach</c> do not allocate. Not thread-safe: no thread may read the list during an update.</remarks>
public sealed class SampleList<T> : IReadOnlyList<T>
    where T : struct
{
    private T[] _items = [];

    internal SampleList()
    {
    }

    /// <summary>The number of items.</summary>
    public int Count { get; private set; }

    /// <summary>The item at an index.</summary>
    /// <param name="index">The index, from 0 to <see cref="Count"/> - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="index"/> is outside that range.</exception>
    public T this[int index] => (uint)index < (uint)Count
        ? _items[index]
        : throw new ArgumentOutOfRangeException(nameof(index), index, $"The index must be at least 0 and less than {Count}.");

    /// <summary>Returns a view of the items in order, without copying them. It is valid until the next sample.</summary>
    /// <returns>A view of the list.</returns>
    public ReadOnlySpan<T> AsSpan() => _items.AsSpan(0, Count);

    /// <summary>Enumerates the items in order. The loop may contain an <c>await</c>.</summary>
    /// <returns>An enumerator that does not allocate.</returns>
    public ArraySegment<T>.Enumerator GetEnumerator() => new ArraySegment<T>(_items, 0, Count).GetEnumerator();

    IEnumerator<T> IEnumerable<T>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal void Clear() => Count = 0;

    internal void Add(in T item)
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
