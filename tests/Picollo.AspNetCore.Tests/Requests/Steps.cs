namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Lets a test and an application take turns.</summary>
internal sealed class Steps : IDisposable
{
    private readonly SemaphoreSlim _reached = new(0);
    private readonly SemaphoreSlim _mayContinue = new(0);

    /// <summary>The application: says that it is here, and waits.</summary>
    public Task NextAsync()
    {
        _reached.Release();
        return _mayContinue.WaitAsync();
    }

    /// <summary>The test: waits until the application is at its next step.</summary>
    public Task ReachedAsync() => _reached.WaitAsync();

    /// <summary>The test: lets so many waits end.</summary>
    public void Continue(int count = 1) => _mayContinue.Release(count);

    public void Dispose()
    {
        _reached.Dispose();
        _mayContinue.Dispose();
    }
}
