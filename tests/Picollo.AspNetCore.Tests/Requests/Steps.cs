namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Synchronizes a test and an application step by step.</summary>
internal sealed class Steps : IDisposable
{
    private readonly SemaphoreSlim _reached = new(0);
    private readonly SemaphoreSlim _mayContinue = new(0);

    /// <summary>Called by the application. Signals that it has reached a step, and waits.</summary>
    public Task NextAsync()
    {
        _reached.Release();
        return _mayContinue.WaitAsync();
    }

    /// <summary>Called by the test. Waits until the application has reached its next step.</summary>
    public Task ReachedAsync() => _reached.WaitAsync();

    /// <summary>Called by the test. Ends a number of waits of the application.</summary>
    public void Continue(int count = 1) => _mayContinue.Release(count);

    public void Dispose()
    {
        _reached.Dispose();
        _mayContinue.Dispose();
    }
}
