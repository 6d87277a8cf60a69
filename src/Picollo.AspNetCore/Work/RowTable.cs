using System.Collections.Concurrent;

namespace Picollo.AspNetCore.Work;

/// <summary>A table of rows by key with a maximum number of rows. Further keys share one row. Thread-safe.</summary>
/// <param name="capacity">The maximum number of rows, without the shared row.</param>
/// <param name="other">The key of the shared row.</param>
/// <param name="create">A function that creates a row.</param>
internal sealed class RowTable<TKey, TRow>(int capacity, TKey other, Func<TKey, TRow> create)
    where TKey : notnull
    where TRow : class
{
    private readonly ConcurrentDictionary<TKey, TRow> _rows = new();

    // The shared row; null until the table is full. Rows are never removed, so further keys need no lock.
    private TRow? _rest;

    public int Capacity => capacity;

    /// <summary>Whether keys share a row.</summary>
    public bool IsFull => Volatile.Read(ref _rest) is not null;

    /// <summary>All rows at the time of the call, in an undefined order.</summary>
    public ICollection<TRow> All => _rows.Values;

    public TRow Get(TKey key) => _rows.TryGetValue(key, out TRow? row) ? row : Volatile.Read(ref _rest) ?? Add(key);

    private TRow Add(TKey key)
    {
        lock (_rows)
        {
            if (_rows.TryGetValue(key, out TRow? row))
            {
                return row;
            }

            bool isFull = _rows.Count >= capacity;
            TRow added = _rows.GetOrAdd(isFull ? other : key, create);
            if (isFull)
            {
                Volatile.Write(ref _rest, added);
            }

            return added;
        }
    }
}
