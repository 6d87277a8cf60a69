namespace Picollo.Scheduling;

/// <summary>The items of a loop over a synchronous source. With <c>ToAsyncEnumerable</c>, an exception of <c>Dispose</c> would replace the
/// one of <c>MoveNext</c>.</summary>
internal sealed class SyncSource<TItem>(IEnumerable<TItem> source) : IAsyncEnumerable<TItem>, IAsyncEnumerator<TItem>
{
    // Set by the loop's only enumeration.
    private IEnumerator<TItem>? _items;

    public TItem Current => _items!.Current;

    public IAsyncEnumerator<TItem> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        _items = source.GetEnumerator();
        return this;
    }

    public ValueTask<bool> MoveNextAsync() => new(_items!.MoveNext());

    public ValueTask DisposeAsync()
    {
        _items!.Dispose();
        return default;
    }
}
