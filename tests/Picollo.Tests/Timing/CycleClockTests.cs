using System.Diagnostics;
using Picollo.Timing;

namespace Picollo.Tests.Timing;

/// <summary>Tests of the clock on the machine that runs the tests, with either source.</summary>
public class CycleClockTests
{
    private static readonly bool HasLibrary = Directory.EnumerateFiles(AppContext.BaseDirectory, "*picollo_native.*").Any();

    [Fact]
    public void The_library_in_the_folder_of_the_program_is_found_and_a_missing_counter_has_a_reason()
    {
        (CycleClock.UnavailableReason is null).Should().Be(CycleClock.IsCycleCounter);
        (CycleClock.UnavailableReason?.Contains("was not found", StringComparison.Ordinal) ?? false).Should().Be(!HasLibrary);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void The_clock_agrees_with_Stopwatch()
    {
        // This tests accuracy, not speed: it uses the smallest difference of several tries, because a try may be interrupted between two
        // readings.
        const double Bound = CycleClockPolicy.StartErrorBoundPpm * 1e-6;
        double least = double.MaxValue;
        for (int i = 0; i < 10 && least > Bound; i++)
        {
            long clockStart = Stopwatch.GetTimestamp();
            long start = CycleClock.GetTimestamp();
            Thread.Sleep(200);
            bool isMeasured = CycleClock.TryGetElapsedPicoseconds(start, out ulong picoseconds);
            double expected = Stopwatch.GetElapsedTime(clockStart).TotalSeconds * 1e12;
            least = isMeasured ? Math.Min(least, Math.Abs(picoseconds / expected - 1)) : least;
        }

        least.Should().BeLessThan(Bound);
    }

    [Fact]
    public void Ticks_are_converted_with_the_reported_frequency()
    {
        double frequency = CycleClock.Frequency;
        long second = (long)frequency;

        ((double)CycleClock.TicksToPicoseconds(second)).Should().BeApproximately(1e12, 1e8);
        ((double)CycleClock.TicksToNanoseconds(second)).Should().BeApproximately(1e9, 1e5);
        CycleClock.TicksToPicoseconds(0).Should().Be(0);
        CycleClock.TicksToPicoseconds(-1).Should().Be(0);
        CycleClock.TicksToPicoseconds(long.MinValue).Should().Be(0);
        CycleClock.TicksToPicoseconds(long.MaxValue).Should().Be(ulong.MaxValue, "92 years do not fit");
        CycleClock.TicksToNanoseconds(-1).Should().Be(0);
        CycleClock.TicksToNanoseconds(second * 3_600 * 24 * 365).Should().BeLessThan(ulong.MaxValue, "a year fits in nanoseconds");
    }
}
