namespace Picollo.Scheduling;

/// <summary>What the tasks of one <c>ForEachAsync</c> share.</summary>
internal sealed class ForEachLoop<TItem>(
    IAsyncEnumerable<TItem> source,
    Func<TItem, CpuTaskContext, Task> body,
    CancellationToken token,
    CancellationToken poolToken) : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1);

    private IAsyncEnumerator<TItem>? _items;

    // The source's: its next item may never come, and nobody wants it after the caller's cancellation, the pool's, or a failure.
    private CancellationTokenSource? _unwanted;

    // No more items, or none wanted after a failure.
    private volatile bool _isDone;

    /// <summary>One task's part.</summary>
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
                    _isDone = true; // before another part asks
                    if (e is OperationCanceledException cancelled && cancelled.CancellationToken == _unwanted?.Token)
                    {
                        token.ThrowIfCancellationRequested(); // the one that the caller knows
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
            _ = _unwanted?.CancelAsync(); // another part may be waiting for the source
            throw;
        }
    }

    /// <summary>Ends as the parts do, with all their exceptions, of which an async method's own task would keep one.</summary>
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
        _unwanted?.Dispose();
        return _items?.DisposeAsync() ?? default;
    }

    private IAsyncEnumerator<TItem> Enumerate()
    {
        _unwanted = CancellationTokenSource.CreateLinkedTokenSource(token, poolToken);
        return source.GetAsyncEnumerator(_unwanted.Token);
    }
}
