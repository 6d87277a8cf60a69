namespace Picollo.Scheduling.Tests.Loops;

/// <summary>Tests the end of the source while a task of the loop waits for the gate. The continuation of the task runs as soon as it gets the
/// gate.</summary>
public class ForEachEndTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task MoveNext_is_not_called_after_the_source_has_ended(bool fails)
    {
        var source = new PendingSource();
        var loop = new ForEachLoop<int>(source, (_, _) => Task.CompletedTask, CancellationToken.None, CancellationToken.None);
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(new InlineSynchronizationContext());
        Task asking = loop.Run(CpuTaskContext.None), waiting = loop.Run(CpuTaskContext.None);
        if (fails)
        {
            source.Answer.SetException(new FormatException());
        }
        else
        {
            source.Answer.SetResult(false);
        }

        SynchronizationContext.SetSynchronizationContext(before);
        await waiting.Soon();
        (await asking.Ended()).IsFaulted.Should().Be(fails);

        source.Moves.Should().Be(1);
    }

    private sealed class InlineSynchronizationContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state) => d(state);
    }

    private sealed class PendingSource : IAsyncEnumerable<int>, IAsyncEnumerator<int>
    {
        public TaskCompletionSource<bool> Answer { get; } = new();

        public int Moves { get; private set; }

        public int Current => 0;

        public IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken cancellationToken = default) => this;

        public ValueTask<bool> MoveNextAsync() => new(++Moves == 1 ? Answer.Task : Task.FromResult(false));

        public ValueTask DisposeAsync() => default;
    }
}
