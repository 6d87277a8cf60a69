using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Picollo.Scheduling;

/// <summary>The result of <see cref="CpuTaskContext.CheckpointAsync"/>. Await it once, immediately.</summary>
/// <remarks>The struct is its own awaiter, so that nothing is allocated. Awaiting a completed checkpoint only tests a reference.</remarks>
public readonly struct CpuCheckpoint : ICriticalNotifyCompletion
{
    // Null if the task continues without waiting.
    private readonly CpuTask? _task;

    internal CpuCheckpoint(CpuTask task) => _task = task;

    /// <summary>Whether the task continues without waiting. Used by the compiler.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public bool IsCompleted => _task is null;

    /// <summary>Returns the awaiter. Used by the compiler.</summary>
    /// <returns>This value.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public CpuCheckpoint GetAwaiter() => this;

    /// <summary>Ends the await. Used by the compiler.</summary>
    /// <exception cref="OperationCanceledException">The task was canceled while it waited for a worker.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void GetResult() => _task?.ThrowIfCanceled();

    /// <summary>Schedules the continuation. Used by the compiler.</summary>
    /// <param name="continuation">The code that runs when the task gets a worker again.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    /// <inheritdoc cref="OnCompleted"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void UnsafeOnCompleted(Action continuation) =>
        _task!.Scheduler.Resume(_task, static action => ((Action)action!)(), continuation);
}
