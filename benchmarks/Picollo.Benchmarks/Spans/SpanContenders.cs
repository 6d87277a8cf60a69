using OpenTelemetry;
using OpenTelemetry.Trace;
using Picollo.Diagnostics;

namespace Picollo.Benchmarks.Spans;

/// <summary>A span that starts and stops, without and with <see cref="ActivityCpuUsage"/>.</summary>
internal sealed class SpanContender : Contender
{
    private const int OperationsPerRun = 100;

    private readonly ActivitySource _source;
    private readonly ActivitySource _parents;
    private readonly SpanKind _kind;

    /// <param name="kind">The kind.</param>
    /// <param name="isMeasured">Whether its CPU time is measured.</param>
    public SpanContender(SpanKind kind, bool isMeasured)
        : base($"{kind}{(isMeasured ? ", measured" : "")}", OperationsPerRun)
    {
        _kind = kind;
        IsMeasured = isMeasured;
        _source = new ActivitySource($"Picollo.Benchmarks.{Name}");
        _parents = new ActivitySource($"Picollo.Benchmarks.Parents.{Name}");
        if (isMeasured)
        {
            _ = new ActivityCpuUsage(_source.Name, _parents.Name);
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

    public override void Verify()
    {
        using Activity? activity = _source.StartActivity("span");
        activity?.Stop();
        bool isTagged = activity?.GetTagItem(ActivityCpuUsage.UserTag) is double;
        Require(
            isTagged == (IsMeasured && _kind is not (SpanKind.NotSampled or SpanKind.WithoutTracer)),
            $"the tag is {(isTagged ? "there" : "missing")}.");
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

/// <summary>What a span is in.</summary>
internal enum SpanKind
{
    /// <summary>Without parent and tags, in a flow that carries nothing else.</summary>
    Root,

    /// <summary>A child.</summary>
    Child,

    /// <summary>As <see cref="Root"/>, with three tags.</summary>
    WithTags,

    /// <summary>As <see cref="Root"/>, with an await that ends on the same thread.</summary>
    WithAwait,

    /// <summary>As <see cref="Root"/>, of a tracer of the OpenTelemetry SDK.</summary>
    OfOpenTelemetry,

    /// <summary>Created, but not sampled.</summary>
    NotSampled,

    /// <summary>No other listener.</summary>
    WithoutTracer,
}
