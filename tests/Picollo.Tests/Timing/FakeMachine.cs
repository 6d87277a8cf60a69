using Picollo.Timing;

namespace Picollo.Tests.Timing;

/// <summary>A machine with a known true time, in picoseconds. Its counter and clock react to suspends, migrations and adjustments like real
/// ones. Time passes with every reading and with <see cref="Pass"/>.</summary>
internal sealed class FakeMachine(long counterFrequency, long clockFrequency = 1_000_000_000) : ICycleTimeSource
{
    public const long PerSecond = 1_000_000_000_000;
    public const long PerMillisecond = PerSecond / 1_000;
    public const long PerMicrosecond = PerMillisecond / 1_000;

    private Int128 _counterTicks = (Int128)1_000_000_000 * PerSecond; // in 1/10^12 of a tick, here 10^9 ticks
    private Int128 _clockTicks = (Int128)123_456_789 * PerSecond;

    /// <summary>The true time, in picoseconds.</summary>
    public long Now { get; private set; }

    public long CounterFrequency { get; set; } = counterFrequency;

    public long ClockFrequency { get; } = clockFrequency;

    /// <summary>The relative deviation of the clock's rate, in ppm, as caused by NTP.</summary>
    public int ClockSlewPpm { get; set; }

    public bool IsClockStuck { get; set; }

    public long CounterReadPicoseconds { get; set; } = 9_000;

    public long ClockReadPicoseconds { get; set; } = 22_000;

    /// <summary>An action at every reading of the counter, for example an interrupt.</summary>
    public Action? OnCounterRead { get; set; }

    public int Reads { get; private set; }

    public long Counter => (long)(_counterTicks / PerSecond);

    public double TrueClock => (double)_clockTicks / PerSecond;

    public void Pass(long picoseconds)
    {
        Now += picoseconds;
        _counterTicks += (Int128)picoseconds * CounterFrequency;
        if (!IsClockStuck)
        {
            // Most clocks are not adjusted, and the 128-bit division is most of the cost of a reading.
            Int128 ticks = (Int128)picoseconds * ClockFrequency;
            _clockTicks += ClockSlewPpm == 0 ? ticks : ticks * (1_000_000 + ClockSlewPpm) / 1_000_000;
        }
    }

    /// <summary>Simulates a sleep state, or a CPU whose counter has a different value.</summary>
    public void StepCounter(long ticks) => _counterTicks += (Int128)ticks * PerSecond;

    public void SetCounter(long ticks) => _counterTicks = (Int128)ticks * PerSecond;

    // Half of the duration of a reading passes before its moment and half after.
    public long ReadCounter()
    {
        Reads++;
        OnCounterRead?.Invoke();
        Pass(CounterReadPicoseconds / 2);
        long counter = Counter;
        Pass(CounterReadPicoseconds - CounterReadPicoseconds / 2);
        return counter;
    }

    public long ReadClock()
    {
        Reads++;
        Pass(ClockReadPicoseconds / 2);
        long clock = (long)(_clockTicks / PerSecond);
        Pass(ClockReadPicoseconds - ClockReadPicoseconds / 2);
        return clock;
    }

    /// <summary>Measures <paramref name="count"/> intervals of the given length and returns the result of the last one.</summary>
    public bool TryMeasure(CycleCalibrator calibrator, long picoseconds, out ulong measured, int count = 1)
    {
        measured = 0;
        bool isMeasured = false;
        for (int i = 0; i < count; i++)
        {
            long start = calibrator.GetTimestamp();
            Pass(picoseconds);
            isMeasured = calibrator.TryGetElapsedPicoseconds(start, calibrator.GetTimestamp(), out measured);
        }

        return isMeasured;
    }
}
