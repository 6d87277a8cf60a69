using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary>Validated <see cref="JitterMeterOptions"/>, in the units of the loop.</summary>
/// <param name="Interval">The interval, in nanoseconds.</param>
/// <param name="Loops">The number of wake-ups on each CPU, or <see cref="JitterState.Unlimited"/>.</param>
/// <param name="BreakAbove">The latency limit in nanoseconds, or <see cref="JitterState.Unlimited"/>.</param>
internal readonly record struct JitterPlan(ulong Interval, ulong Loops, ulong BreakAbove)
{
    public static JitterPlan For(JitterMeterOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Check(options.Interval >= JitterMeterOptions.MinInterval && options.Interval <= JitterMeterOptions.MaxInterval,
            nameof(options.Interval), options.Interval, "be from 1 µs to 1 s");
        Check(options.Priority is not (< 1 or > 99), nameof(options.Priority), options.Priority, "be from 1 to 99");
        Check(!(options.Duration <= TimeSpan.Zero), nameof(options.Duration), options.Duration, "be more than 0");
        Check(options.Loops is not < 1, nameof(options.Loops), options.Loops, "be 1 or more");
        Check(!(options.BreakAbove <= TimeSpan.Zero), nameof(options.BreakAbove), options.BreakAbove, "be more than 0");
        if (options.Cpus is { } cpus)
        {
            Check(cpus.Count > 0, nameof(options.Cpus), cpus.Count, "contain at least one CPU");
            Check(cpus.All(cpu => cpu >= 0), nameof(options.Cpus), cpus.Min(), "contain only non-negative numbers");
        }

        ulong loops = (ulong?)options.Loops ?? JitterState.Unlimited;
        if (options.Duration is { } duration)
        {
            // The number of due wake-ups is used instead of the clock, because a CPU that is late at the end would lose the pending
            // wake-ups.
            loops = Math.Min(loops, Math.Max((ulong)(duration.Ticks / options.Interval.Ticks), 1));
        }

        ulong breakAbove = options.BreakAbove is { } limit
            ? (ulong)(limit.Ticks * (Int128)TimeSpan.NanosecondsPerTick)
            : JitterState.Unlimited;
        return new JitterPlan((ulong)(options.Interval.Ticks * TimeSpan.NanosecondsPerTick), loops, breakAbove);
    }

    private static void Check(bool isValid, string name, object? value, string rule)
    {
        if (!isValid)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must {rule}.");
        }
    }
}
