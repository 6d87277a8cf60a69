using System.Collections;

namespace Picollo.Cpu;

/// <summary>The CPUs, processes or threads of a sample: a list that its owner fills again at the next sample.</summary>
/// <typeparam name="T">The items.</typeparam>
/// <remarks><see cref="SystemCpu.Update"/> refills the list: copy what must outlive the next sample (<c>[.. list]</c>), and end each
/// <c>foreach</c> before it. A <c>foreach</c> during which the list is refilled may return items of both samples. Indexing and
/// <c>foreach</c> allocate nothing. Not thread-safe: no thread may read the list during an update.</remarks>
public sealed class SampleList<T> : IReadOnlyList<T>
    where T : struct
{
    private T[] _items = [];

    internal SampleList()
    {
    }

    /// <summary>How many items there are.</summary>
    public int Count { get; private set; }

    /// <summary>An item.</summary>
    /// <param name="index">From 0 to <see cref="Count"/> - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="index"/> is not in that range.</exception>
    public T this[int index] => (uint)index < (uint)Count
        ? _items[index]
        : throw new ArgumentOutOfRangeException(nameof(index), index, $"0 to {Count - 1} are the items of this list.");

    /// <summary>The items in their order, without a copy of each; valid until the next sample.</summary>
    /// <returns>A view of the list.</returns>
    public ReadOnlySpan<T> AsSpan() => _items.AsSpan(0, Count);

    /// <summary>The items in their order. The loop may contain an <c>await</c>.</summary>
    /// <returns>An enumerator that allocates nothing.</returns>
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
