using Perfolizer.Horology;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>BenchmarkDotNet's clock, which it asks once before each iteration and once after: the one place where an iteration can be
/// measured whole and alone, outside of the time that it is found to take.</summary>
internal sealed class MeteringClock(IClock clock) : IClock
{
    private bool _isRunning;

    public string Title => clock.Title;

    public bool IsAvailable => clock.IsAvailable;

    public Frequency Frequency => clock.Frequency;

    /// <summary>Null while nothing is to be measured.</summary>
    public IterationMeter? Meter { get; set; }

    public long GetTimestamp()
    {
        _isRunning = !_isRunning;
        if (_isRunning)
        {
            Meter?.Begin();
            return clock.GetTimestamp();
        }

        long timestamp = clock.GetTimestamp();
        Meter?.End();
        return timestamp;
    }
}
