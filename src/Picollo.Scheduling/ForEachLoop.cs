namespace Picollo.Scheduling;

/// <summary>The state that the tasks of one <c>ForEachAsync</c> share.</summary>
internal sealed class ForEachLoop<TItem>(
    IAsyncEnumerable<TItem> source,
    Func<TItem, CpuTaskContext, Task> body,
    CancellationToken token,
    CancellationToken poolToken) : IDisposable
{
    private readonly SemaphoreSlim _gate = new(1);
    private readonly EitherCancellation _cancellation = new(token, poolToken);

    private IAsyncEnumerator<TItem>? _items;

    // Set when the source has ended, or after a failure.
    private volatile bool _isDone;

    /// <summary>The token of the source and of the tasks. It is canceled with the caller's or the pool's token, and after an exception: the
    /// next item of the source may never arrive, and the other items need not end.</summary>
    public CancellationToken Token => _cancellation.Token;

    /// <summary>Processes items in one task, until no items are left.</summary>
    public async Task Run(CpuTaskContext cpu)
    {
        try
        {
            while (true)
            {
                TItem item;
                await _gate.WaitAsync();
                try
                {
                    if (_isDone || !await (_items ??= source.GetAsyncEnumerator(Token)).MoveNextAsync())
                    {
                        _isDone = true;
                        return;
                    }

                    item = _items.Current;
                }
                catch
                {
                    _isDone = true; // before another task requests an item
                    throw;
                }
                finally
                {
                    _gate.Release();
                }

                await body(item, cpu);
                await cpu.CheckpointAsync();
            }
        }
        catch
        {
            _isDone = true;
            _cancellation.Cancel();
            throw;
        }
    }

    /// <summary>Returns a task that ends when all tasks of the loop have ended, with all their exceptions. The task of an async method
    /// would contain only one of them.</summary>
    public Task End(Task parts)
    {
        var end = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = Finish();
        return end.Task;

        async Task Finish()
        {
            await parts.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                Dispose();
                if (_items is not null)
                {
                    await _items.DisposeAsync().ConfigureAwait(false);
                }

                if (parts.IsCanceled && token.IsCancellationRequested)
                {
                    end.SetCanceled(token); // The exceptions of the tasks contain the token of the loop.
                }
                else
                {
                    end.SetFromTask(parts);
                }
            }
            catch (Exception e)
            {
                end.SetException([.. parts.Exception?.InnerExceptions ?? [], e]);
            }
        }
    }

    public void Dispose()
    {
        _gate.Dispose();
        _cancellation.End();
    }
}

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
