using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Picollo.Scheduling;

/// <summary>The result of <see cref="CpuTaskContext.CheckpointAsync"/>, to be awaited once, at once.</summary>
/// <remarks>It is its own awaiter: nothing is allocated, and an await of a completed one tests a reference.</remarks>
public readonly struct CpuCheckpoint : ICriticalNotifyCompletion
{
    // Null if the task goes straight on.
    private readonly CpuTask? _task;

    internal CpuCheckpoint(CpuTask task) => _task = task;

    /// <summary>For the compiler. True if the task goes straight on.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public bool IsCompleted => _task is null;

    /// <summary>For the compiler.</summary>
    /// <returns>This.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public CpuCheckpoint GetAwaiter() => this;

    /// <summary>For the compiler.</summary>
    /// <exception cref="OperationCanceledException">The task was cancelled while it waited for its turn.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void GetResult() => _task?.ThrowIfCancelled();

    /// <summary>For the compiler.</summary>
    /// <param name="continuation">Runs when it is the task's turn again.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    /// <inheritdoc cref="OnCompleted"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void UnsafeOnCompleted(Action continuation) =>
        _task!.Scheduler.Resume(_task, static action => ((Action)action!)(), continuation);
}
