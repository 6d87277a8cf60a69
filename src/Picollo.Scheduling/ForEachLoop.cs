namespace Picollo.Scheduling;

/// <summary>The state that the tasks of one <c>ForEachAsync</c> share.</summary>
internal sealed class ForEachLoop<TItem>(
    IAsyncEnumerable<TItem> source,
    Func<TItem, CpuTaskContext, Task> body,
    CancellationToken token,
    CancellationToken poolToken) : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1);

    private IAsyncEnumerator<TItem>? _items;

    // The token of the source. It is canceled with the caller's or the pool's token, or after a failure, because the next item of the
    // source may never arrive.
    private CancellationTokenSource? _sourceCancellation;

    // Set when the source has ended, or after a failure.
    private volatile bool _isDone;

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
                    if (_isDone || !await (_items ??= Enumerate()).MoveNextAsync())
                    {
                        _isDone = true;
                        return;
                    }

                    item = _items.Current;
                }
                catch (Exception e)
                {
                    _isDone = true; // before another task requests an item
                    if (e is OperationCanceledException canceled && canceled.CancellationToken == _sourceCancellation?.Token)
                    {
                        token.ThrowIfCancellationRequested(); // with the caller's token in the exception
                    }

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
            _ = _sourceCancellation?.CancelAsync(); // another task may be waiting for the source
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
                await DisposeAsync().ConfigureAwait(false);
                end.SetFromTask(parts);
            }
            catch (Exception e)
            {
                end.SetException([.. parts.Exception?.InnerExceptions ?? [], e]);
            }
        }
    }

    public ValueTask DisposeAsync()
    {
        _gate.Dispose();
        _sourceCancellation?.Dispose();
        return _items?.DisposeAsync() ?? default;
    }

    private IAsyncEnumerator<TItem> Enumerate()
    {
        _sourceCancellation = CancellationTokenSource.CreateLinkedTokenSource(token, poolToken);
        return source.GetAsyncEnumerator(_sourceCancellation.Token);
    }
}
