using Perfolizer.Horology;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>Wraps the clock of BenchmarkDotNet, which reads it once before and once after each iteration. It is the only place where
/// exactly one iteration can be measured without affecting its time.</summary>
internal sealed class MeteringClock(IClock clock) : IClock
{
    private bool _isRunning;

    public string Title => clock.Title;

    public bool IsAvailable => clock.IsAvailable;

    public Frequency Frequency => clock.Frequency;

    /// <summary>The meter; null while nothing is measured.</summary>
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
