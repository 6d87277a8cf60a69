namespace Picollo.AspNetCore;

/// <summary>A run of named work that <see cref="WorkMeter.Measure"/> measures. Dispose it at the end of the work. Thread-safe.</summary>
/// <remarks>A run has failed if an exception leaves the block of its <c>using</c> statement. It was canceled if this exception is an
/// <see cref="OperationCanceledException"/> that was not caused by a timeout of an <c>HttpClient</c>. The runtime reports only that an
/// exception is being handled on the thread: a run whose last continuation is called in a <c>catch</c> block of other code also counts as
/// failed.</remarks>
public interface IMeasuredWork : IDisposable
{
    /// <summary>Counts the run as failed, or as canceled if <paramref name="failure"/> is an
    /// <see cref="OperationCanceledException"/>.</summary>
    /// <remarks>Call it for an exception that the work itself catches. With Native AOT, also call it for all other exceptions, because the
    /// runtime does not report there that an exception leaves a block. If it is called several times, the last call takes effect. Calls
    /// after <see cref="IDisposable.Dispose"/> have no effect.</remarks>
    /// <param name="failure">The exception.</param>
    /// <exception cref="ArgumentNullException"><paramref name="failure"/> is <see langword="null"/>.</exception>
    void Fail(Exception failure);
}
