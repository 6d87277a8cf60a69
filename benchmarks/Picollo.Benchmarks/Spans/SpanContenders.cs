using OpenTelemetry;
using OpenTelemetry.Trace;
using Picollo.Diagnostics;

namespace Picollo.Benchmarks.Spans;

/// <summary>Starts and stops a span, without and with <see cref="ActivityCpuMeter"/>.</summary>
internal sealed class SpanContender : Contender
{
    private const int OperationsPerRun = 100;

    private readonly ActivitySource _source;
    private readonly ActivitySource _parents;
    private readonly SpanKind _kind;

    /// <param name="kind">The kind of the span.</param>
    /// <param name="isMeasured"><see langword="true"/> to measure the CPU time of the span.</param>
    public SpanContender(SpanKind kind, bool isMeasured)
        : base($"{NameOf(kind)}{(isMeasured ? ", measured" : "")}", OperationsPerRun)
    {
        _kind = kind;
        IsMeasured = isMeasured;
        _source = new ActivitySource($"Picollo.Benchmarks.{Name}");
        _parents = new ActivitySource($"Picollo.Benchmarks.Parents.{Name}");
        if (isMeasured)
        {
            _ = ActivityCpuMeter.Start(_source.Name, _parents.Name);
        }

        if (kind == SpanKind.OfOpenTelemetry)
        {
            _ = Sdk.CreateTracerProviderBuilder().AddSource(_source.Name).AddProcessor(new NoProcessor()).Build();
        }
        else if (kind != SpanKind.WithoutTracer)
        {
            ActivitySamplingResult result = kind == SpanKind.NotSampled
                ? ActivitySamplingResult.PropagationData
                : ActivitySamplingResult.AllDataAndRecorded;
            ActivitySource.AddActivityListener(new ActivityListener
            {
                ShouldListenTo = source => source == _source || source == _parents,
                Sample = (ref _) => result,
            });
        }
    }

    private bool IsMeasured { get; }

    private static string NameOf(SpanKind kind) => kind switch
    {
        SpanKind.Root => "root span",
        SpanKind.Child => "child span",
        SpanKind.WithTags => "root span with three tags",
        SpanKind.WithAwait => "root span with an await",
        SpanKind.OfOpenTelemetry => "root span of the OpenTelemetry SDK",
        SpanKind.NotSampled => "span that is not sampled",
        SpanKind.WithoutTracer => "span without another listener",
        _ => throw new ArgumentOutOfRangeException(nameof(kind)),
    };

    public override void Verify()
    {
        using Activity? activity = _source.StartActivity("span");
        activity?.Stop();
        bool isTagged = activity?.GetTagItem(ActivityCpuMeter.UserTag) is double;
        Require(
            isTagged == (IsMeasured && _kind is not (SpanKind.NotSampled or SpanKind.WithoutTracer)),
            isTagged ? "the span has an unexpected tag." : "the tag is missing.");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        using Activity? parent = _kind == SpanKind.Child ? _parents.StartActivity("parent") : null;
        for (int i = 0; i < operations; i++)
        {
            if (_kind == SpanKind.WithAwait)
            {
                TaskCompletionSource gate = new();
                _ = RunAsync(gate.Task);
                gate.SetResult();
                continue;
            }

            using Activity? activity = _source.StartActivity("span");
            if (_kind == SpanKind.WithTags)
            {
                activity?.SetTag("db.system.name", "postgresql");
                activity?.SetTag("db.operation.name", "SELECT");
                activity?.SetTag("db.collection.name", "orders");
            }
        }
    }

    private async Task RunAsync(Task gate)
    {
        using Activity? activity = _source.StartActivity("span");
        await gate.ConfigureAwait(false);
    }

    private sealed class NoProcessor : BaseProcessor<Activity>;
}

/// <summary>The kinds of measured spans.</summary>
internal enum SpanKind
{
    /// <summary>A span without a parent or tags, in a flow without other context.</summary>
    Root,

    /// <summary>A span with a parent.</summary>
    Child,

    /// <summary>Like <see cref="Root"/>, with three tags.</summary>
    WithTags,

    /// <summary>Like <see cref="Root"/>, with an await that completes on the same thread.</summary>
    WithAwait,

    /// <summary>Like <see cref="Root"/>, with a tracer of the OpenTelemetry SDK.</summary>
    OfOpenTelemetry,

    /// <summary>A span that is created, but not sampled.</summary>
    NotSampled,

    /// <summary>A span without another listener.</summary>
    WithoutTracer,
}
