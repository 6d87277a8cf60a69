namespace Picollo.Scheduling.Tests.Loops;

/// <summary>A sequence of consecutive numbers from 0, which records how it is enumerated.</summary>
internal sealed class ProbedItems(int count = int.MaxValue) : IAsyncEnumerable<int>, IAsyncEnumerator<int>
{
    private readonly ConcurrencyCounter _concurrency = new();
    private int _disposals;
    private int _moves;

    public int Current { get; private set; } = -1;

    /// <summary>The exception to throw at the end of the items.</summary>
    public Exception? Failure { get; init; }

    public Exception? DisposalFailure { get; init; }

    public Exception? EnumerationFailure { get; init; }

    /// <summary>The number of enumerations.</summary>
    public int Enumerations { get; private set; }

    /// <summary>The token of the enumeration.</summary>
    public CancellationToken Token { get; private set; }

    /// <summary>The number of requests for the next item.</summary>
    public int Moves => Volatile.Read(ref _moves);

    public int Disposals => Volatile.Read(ref _disposals);

    /// <summary>The maximum number of concurrent requests.</summary>
    public int MaxConcurrentMoves => _concurrency.Max;

    public IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        Token = cancellationToken;
        Enumerations++;
        return EnumerationFailure is null ? this : throw EnumerationFailure;
    }

    public async ValueTask<bool> MoveNextAsync()
    {
        _concurrency.Enter();
        Interlocked.Increment(ref _moves);
        if (Current % 3 == 0)
        {
            await Task.Yield();
        }

        bool hasNext = ++Current < count;
        _concurrency.Leave();
        return hasNext || (Failure is null ? false : throw Failure);
    }

    public ValueTask DisposeAsync()
    {
        Interlocked.Increment(ref _disposals);
        return DisposalFailure is null ? default : ValueTask.FromException(DisposalFailure);
    }
}
