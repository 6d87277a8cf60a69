using Picollo.Timing;

namespace Picollo.Tests.Timing;

/// <summary>
/// A machine whose true time is known to the picosecond: a counter and a clock over it, which suspends, migrations and
/// adjustments act on as on a real one. Time passes with every reading and by <see cref="Pass"/>.
/// </summary>
internal sealed class FakeMachine(long counterFrequency, long clockFrequency = 1_000_000_000) : ICycleTimeSource
{
    public const long PerSecond = 1_000_000_000_000;
    public const long PerMillisecond = PerSecond / 1_000;
    public const long PerMicrosecond = PerMillisecond / 1_000;

    private Int128 _counterTicks = (Int128)1_000_000_000 * PerSecond; // in 1/10^12 of a tick, here 10^9 ticks
    private Int128 _clockTicks = (Int128)123_456_789 * PerSecond;

    /// <summary>Picoseconds that have really passed.</summary>
    public long Now { get; private set; }

    public long CounterFrequency { get; set; } = counterFrequency;

    public long ClockFrequency { get; } = clockFrequency;

    /// <summary>How much faster than it should the clock runs, as network time makes it.</summary>
    public int ClockSlewPpm { get; set; }

    public bool IsClockStuck { get; set; }

    public long CounterReadPicoseconds { get; set; } = 9_000;

    public long ClockReadPicoseconds { get; set; } = 22_000;

    /// <summary>Called at every reading of the counter; an interrupt, say.</summary>
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
            // Most clocks are not adjusted, and a division of 128 bits is most of what a reading takes.
            Int128 ticks = (Int128)picoseconds * ClockFrequency;
            _clockTicks += ClockSlewPpm == 0 ? ticks : ticks * (1_000_000 + ClockSlewPpm) / 1_000_000;
        }
    }

    /// <summary>What a sleep state, or a CPU whose counter was set differently, does.</summary>
    public void StepCounter(long ticks) => _counterTicks += (Int128)ticks * PerSecond;

    public void SetCounter(long ticks) => _counterTicks = (Int128)ticks * PerSecond;

    // Half of the time that a reading takes passes before its moment and half after.
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

    /// <summary>Measures <paramref name="count"/> intervals of the given length and says what came of the last.</summary>
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
