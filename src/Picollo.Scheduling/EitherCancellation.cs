using System.Diagnostics.CodeAnalysis;

namespace Picollo.Scheduling;

/// <summary>A source that is canceled with either of two tokens.</summary>
/// <remarks>The disposal of <see cref="CancellationTokenSource.CreateLinkedTokenSource(CancellationToken, CancellationToken)"/> waits for
/// running callbacks, which are the application's code and may wait for the task that ends. <see cref="End"/> does not wait, and its token
/// remains valid.</remarks>
[SuppressMessage("Design", "CA1001", Justification = "The source has neither a timer nor a handle, and its callbacks may be running.")]
internal sealed class EitherCancellation
{
    private readonly CancellationTokenSource _source = new();
    private readonly CancellationTokenRegistration _first;
    private readonly CancellationTokenRegistration _second;

    public EitherCancellation(CancellationToken first, CancellationToken second)
    {
        _first = first.UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), _source);
        _second = second.UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), _source);
    }

    public CancellationToken Token => _source.Token;

    /// <summary>Cancels the token. The callbacks run in the thread pool.</summary>
    public void Cancel() => _ = _source.CancelAsync();

    /// <summary>Removes the registrations on the two tokens.</summary>
    public void End()
    {
        _ = _first.Unregister();
        _ = _second.Unregister();
    }
}
