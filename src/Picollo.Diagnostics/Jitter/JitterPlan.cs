using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary><see cref="JitterMeterOptions"/> that were checked, in the loop's own units.</summary>
/// <param name="Interval">Nanoseconds.</param>
/// <param name="Loops">Wake-ups on each CPU, or <see cref="JitterState.Unlimited"/>.</param>
/// <param name="BreakAbove">Nanoseconds, or <see cref="JitterState.Unlimited"/>.</param>
internal readonly record struct JitterPlan(ulong Interval, ulong Loops, ulong BreakAbove)
{
    public static JitterPlan For(JitterMeterOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Check(options.Interval >= JitterMeterOptions.MinInterval && options.Interval <= JitterMeterOptions.MaxInterval,
            nameof(options.Interval), options.Interval, "1 µs to 1 s");
        Check(options.Priority is not (< 1 or > 99), nameof(options.Priority), options.Priority, "1 to 99");
        Check(!(options.Duration <= TimeSpan.Zero), nameof(options.Duration), options.Duration, "more than 0");
        Check(options.Loops is not < 1, nameof(options.Loops), options.Loops, "1 or more");
        Check(!(options.BreakAbove <= TimeSpan.Zero), nameof(options.BreakAbove), options.BreakAbove, "more than 0");
        if (options.Cpus is { } cpus)
        {
            Check(cpus.Count > 0, nameof(options.Cpus), cpus.Count, "at least one CPU");
            Check(cpus.All(cpu => cpu >= 0), nameof(options.Cpus), cpus.Min(), "0 or more each");
        }

        ulong loops = (ulong?)options.Loops ?? JitterState.Unlimited;
        if (options.Duration is { } duration)
        {
            // By what is due, not by the clock at its end: a CPU that is late then would lose just the wake-ups that waited.
            loops = Math.Min(loops, Math.Max((ulong)(duration.Ticks / options.Interval.Ticks), 1));
        }

        ulong breakAbove = options.BreakAbove is { } limit
            ? (ulong)(limit.Ticks * (Int128)TimeSpan.NanosecondsPerTick)
            : JitterState.Unlimited;
        return new JitterPlan((ulong)(options.Interval.Ticks * TimeSpan.NanosecondsPerTick), loops, breakAbove);
    }

    private static void Check(bool isRight, string name, object? value, string range)
    {
        if (!isRight)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} is {range}.");
        }
    }
}
