using System.Collections.Concurrent;
using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Diagnostics.Tests.Spans;

/// <summary>A source, <see cref="ActivityCpuMeter"/> for it, and a tracer that copies the tags of each span when it stops.</summary>
internal sealed class Tracing : IDisposable
{
    private static int _count;

    private readonly ActivityCpuMeter _spans;
    private readonly ActivityListener _tracer;
    private readonly ConcurrentDictionary<string, SpanTimes> _times = [];

    public Tracing(Func<string, ActivitySamplingResult>? sample = null)
    {
        Source = new ActivitySource($"Tests.{Interlocked.Increment(ref _count)}");
        Unselected = new ActivitySource($"{Source.Name}.Unselected");
        _spans = ActivityCpuMeter.Start(Source.Name);
        _tracer = new ActivityListener
        {
            ShouldListenTo = source => source == Source || source == Unselected,
            Sample = (ref options) => sample?.Invoke(options.Name) ?? ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = activity => _times[activity.OperationName] = SpanTimes.Of(activity),
        };
        ActivitySource.AddActivityListener(_tracer);
    }

    public ActivitySource Source { get; }

    /// <summary>A source that the tracer traces, but whose CPU time is not measured.</summary>
    public ActivitySource Unselected { get; }

    /// <summary>The tags of a span when it stopped.</summary>
    public SpanTimes this[string name] => _times[name];

    public Activity Start(string name) => Source.StartActivity(name)!;

    public void Dispose()
    {
        _tracer.Dispose();
        _spans.Dispose();
        Source.Dispose();
        Unselected.Dispose();
    }
}

/// <summary>The tags of a span in milliseconds; null for a tag that is not set.</summary>
internal sealed record SpanTimes(double? User, double? System, double? SelfUser, double? SelfSystem)
{
    /// <summary>The time that a span may take in addition to the simulated work.</summary>
    public const double Tolerance = 0.5;

    public double Total => User!.Value + (System ?? 0);

    public double Self => SelfUser!.Value + (SelfSystem ?? 0);

    public static SpanTimes Of(Activity activity) => Of(activity.TagObjects);

    public static SpanTimes Of(IEnumerable<KeyValuePair<string, object?>> tags)
    {
        Dictionary<string, object?> all = tags.ToDictionary();
        return new SpanTimes(Get("picollo.cpu.user"), Get("picollo.cpu.system"), Get("picollo.cpu.self.user"), Get("picollo.cpu.self.system"));

        double? Get(string key) => all.TryGetValue(key, out object? value) ? (double)value! * 1e3 : null;
    }
}
