using System.Collections.Concurrent;

namespace Picollo.AspNetCore.Measuring;

/// <summary>A table of rows by key with a maximum number of rows. Further keys share one row. Thread-safe.</summary>
/// <param name="capacity">The maximum number of rows, without the shared row.</param>
/// <param name="other">The key of the shared row.</param>
/// <param name="create">A function that creates a row.</param>
/// <param name="getLimit">A function that returns the maximum number of rows without a reservation; null for
/// <paramref name="capacity"/>.</param>
internal sealed class RowTable<TKey, TRow>(int capacity, TKey other, Func<TKey, TRow> create, Func<int>? getLimit = null)
    where TKey : notnull
    where TRow : class
{
    private readonly ConcurrentDictionary<TKey, TRow> _rows = new();

    // Guarded by a lock on the rows. Rows are never removed.
    private int _count;
    private int _countWithoutReservation;

    // The shared row; null until a key is refused. A refused key needs no lock: the first field is for keys without a reservation, the
    // second one for all keys.
    private TRow? _rest;
    private TRow? _restOfAll;

    public int Capacity => capacity;

    /// <summary>Whether keys share a row.</summary>
    public bool IsFull => Volatile.Read(ref _rest) is not null;

    /// <summary>All rows at the time of the call, in an undefined order.</summary>
    public ICollection<TRow> All => _rows.Values;

    /// <summary>Returns the row of a key. If a row is reserved for it, keys without a reservation cannot take that row.</summary>
    public TRow Get(TKey key, bool isReserved = false) =>
        _rows.TryGetValue(key, out TRow? row) ? row
        : Volatile.Read(ref (isReserved ? ref _restOfAll : ref _rest)) ?? Add(key, isReserved);

    private TRow Add(TKey key, bool isReserved)
    {
        lock (_rows)
        {
            if (_rows.TryGetValue(key, out TRow? row))
            {
                return row;
            }

            bool isFull = _count >= capacity;
            if (isFull || (!isReserved && getLimit is not null && _countWithoutReservation >= getLimit()))
            {
                TRow rest = _rows.GetOrAdd(other, create);
                Volatile.Write(ref _rest, rest);
                if (isFull)
                {
                    Volatile.Write(ref _restOfAll, rest);
                }

                return rest;
            }

            _count++;
            _countWithoutReservation += isReserved ? 0 : 1;
            return _rows.GetOrAdd(key, create);
        }
    }
}
