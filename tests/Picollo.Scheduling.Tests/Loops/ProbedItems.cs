namespace Picollo.Scheduling.Tests.Loops;

/// <summary>So many numbers from 0 on, that watch how they are enumerated.</summary>
internal sealed class ProbedItems(int count = int.MaxValue) : IAsyncEnumerable<int>, IAsyncEnumerator<int>
{
    private readonly Inside _inside = new();
    private int _disposals;
    private int _moves;

    public int Current { get; private set; } = -1;

    /// <summary>Thrown where the items end.</summary>
    public Exception? Failure { get; init; }

    public Exception? FailureOfDisposal { get; init; }

    /// <summary>How many enumerations there were.</summary>
    public int Enumerations { get; private set; }

    /// <summary>What it was given.</summary>
    public CancellationToken Token { get; private set; }

    /// <summary>How often it was asked for the next item.</summary>
    public int Moves => Volatile.Read(ref _moves);

    public int Disposals => Volatile.Read(ref _disposals);

    /// <summary>How many asked at a time, at the most.</summary>
    public int MostAtATime => _inside.Most;

    public IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        Token = cancellationToken;
        Enumerations++;
        return this;
    }

    public async ValueTask<bool> MoveNextAsync()
    {
        _inside.Enter();
        Interlocked.Increment(ref _moves);
        if (Current % 3 == 0)
        {
            await Task.Yield();
        }

        bool hasNext = ++Current < count;
        _inside.Leave();
        return hasNext || (Failure is null ? false : throw Failure);
    }

    public ValueTask DisposeAsync()
    {
        Interlocked.Increment(ref _disposals);
        return FailureOfDisposal is null ? default : ValueTask.FromException(FailureOfDisposal);
    }
}
