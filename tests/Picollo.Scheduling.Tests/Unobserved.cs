namespace Picollo.Scheduling.Tests;

/// <summary>Waits until an exception with a unique message is reported as unobserved.</summary>
internal sealed class Unobserved : IDisposable
{
    private volatile bool _isReported;

    public Unobserved() => TaskScheduler.UnobservedTaskException += Report;

    public string Message { get; } = $"{Guid.NewGuid()}";

    public Task IsReported() => Pools.Until(() =>
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return _isReported;
    });

    public void Dispose() => TaskScheduler.UnobservedTaskException -= Report;

    private void Report(object? sender, UnobservedTaskExceptionEventArgs unobserved)
    {
        if (unobserved.Exception.Flatten().InnerExceptions.Any(each => each.Message == Message))
        {
            unobserved.SetObserved();
            _isReported = true;
        }
    }
}
