namespace Picollo.Cpu;

/// <summary>A <see cref="SpinWait"/> that goes on where the thread is interrupted (its sleeps throw then), and leaves the interrupt to the
/// caller's next wait.</summary>
internal struct UninterruptedSpin
{
    private SpinWait _spinner;
    private bool _isInterrupted;

    public void SpinOnce()
    {
        try
        {
            _spinner.SpinOnce();
        }
        catch (ThreadInterruptedException)
        {
            _isInterrupted = true;
        }
    }

    /// <summary>Ends the wait.</summary>
    public readonly void End()
    {
        if (_isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
