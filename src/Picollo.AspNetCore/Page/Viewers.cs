using Microsoft.Extensions.Options;

namespace Picollo.AspNetCore.Page;

/// <summary>Counts the pages that are shown live. Thread-safe.</summary>
internal sealed class Viewers(IOptions<PicolloOptions> options)
{
    private readonly int _limit = options.Value.MaxViewers;
    private int _count;

    /// <summary>How many there are.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Takes one more, to be given back by <see cref="Leave"/>, unless the limit is reached.</summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _count) <= _limit)
        {
            return true;
        }

        Leave();
        return false;
    }

    public void Leave() => Interlocked.Decrement(ref _count);
}
