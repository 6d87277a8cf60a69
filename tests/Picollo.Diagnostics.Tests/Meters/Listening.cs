using System.Diagnostics.Metrics;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Meters;

/// <summary>A meter and its listener.</summary>
internal sealed class Listening : IDisposable
{
    private static int _last;

    public Listening(Action<MeterHistogramsOptions>? configure = null, HdrHistogramRegistry? registry = null)
    {
        Registry = registry ?? new();
        Meter = new Meter($"Test.{Interlocked.Increment(ref _last)}");
        MeterHistogramsOptions options = new MeterHistogramsOptions().AddMeter(Meter.Name, Meter.Name + ".*");
        configure?.Invoke(options);
        Histograms = MeterHistograms.Start(Registry, options);
    }

    public HdrHistogramRegistry Registry { get; }

    public Meter Meter { get; }

    public MeterHistograms Histograms { get; }

    /// <summary>A histogram of the meter with the name "size".</summary>
    public Histogram<int> Size => field ??= Meter.CreateHistogram<int>("size");

    /// <summary>The series as text, in the order of the registry.</summary>
    public string[] Series => [.. Registry.Registrations.Select(registration => registration.ToString())];

    public ulong Total => Registry.Registrations.Aggregate(0UL, (sum, registration) => sum + registration.Histogram.TotalCount);

    /// <summary>The only registered series.</summary>
    public HdrHistogramRegistration Only => Registry.Registrations.Should().ContainSingle().Subject;

    public static KeyValuePair<string, object?>[] Tags(params ReadOnlySpan<(string? Key, object? Value)> tags)
    {
        List<KeyValuePair<string, object?>> all = [];
        foreach ((string? key, object? value) in tags)
        {
            all.Add(new(key!, value));
        }

        return [.. all];
    }

    /// <summary>Records the value 1 in <see cref="Size"/>.</summary>
    public void Record(params ReadOnlySpan<(string? Key, object? Value)> tags) => Size.Record(1, Tags(tags));

    public ulong CountOf(string series) =>
        Registry.Registrations.Single(registration => registration.ToString() == series).Histogram.TotalCount;

    public void Dispose()
    {
        Histograms.Dispose();
        Meter.Dispose();
    }
}
