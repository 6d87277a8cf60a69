namespace Picollo.Cpu;

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
