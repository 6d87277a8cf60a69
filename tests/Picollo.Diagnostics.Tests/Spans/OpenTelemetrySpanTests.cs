using System.Diagnostics;
using System.Globalization;
using OpenTelemetry;
using OpenTelemetry.Trace;
using Picollo.AspNetCore.Tests.Requests;

namespace Picollo.Diagnostics.Tests.Spans;

/// <summary>Tests the data that exporters of the OpenTelemetry SDK receive.</summary>
[Collection(Alone.Name)]
public sealed class OpenTelemetrySpanTests : IDisposable
{
    private const string SourceName = "Tests.Sdk.Orders";

    private readonly List<Activity> _exported = [];
    private readonly CopyingExporter _copied = new();

    public void Dispose() => _copied.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Exported_spans_have_the_tags(bool isSourceFirst)
    {
        ActivitySource? first = isSourceFirst ? new(SourceName) : null;
        using ActivityCpuMeter spans = ActivityCpuMeter.Start("Tests.Sdk.*");
        using TracerProvider tracer = Build();
        using ActivitySource source = first ?? new(SourceName); // a source that is created later keeps the order of listeners

        using (source.StartActivity("parent"))
        {
            await Task.Yield();
            using Activity child = source.StartActivity("child")!;
            Burn.Milliseconds(1);
        }

        spans.LateSource.Should().BeNull();
        _exported.Select(span => span.OperationName).Should().Equal("child", "parent");
        foreach (SpanTimes[] times in (SpanTimes[][])[[.. _exported.Select(SpanTimes.Of)], [.. _copied.Tags.Select(SpanTimes.Of)]])
        {
            times.Should().HaveCount(2);
            times[0].Total.Should().BeGreaterThanOrEqualTo(0.99);
            times[0].SelfUser.Should().BeNull();
            times[1].Total.Should().BeGreaterThanOrEqualTo(times[0].Total);
            times[1].Self.Should().BeLessThanOrEqualTo(times[1].Total);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void With_a_tracer_that_was_built_earlier_the_source_is_late_and_copied_tags_are_text(bool isSourceFirst)
    {
        ActivitySource? first = isSourceFirst ? new(SourceName) : null;
        using TracerProvider tracer = Build();
        using ActivityCpuMeter spans = ActivityCpuMeter.Start("Tests.Sdk.*");
        using ActivitySource source = first ?? new(SourceName);

        using (source.StartActivity("span"))
        {
            Burn.Milliseconds(1);
        }

        spans.LateSource.Should().Be(SourceName);
        using ActivitySource next = new(SourceName + ".Next");
        using ActivityListener other = new() { ShouldListenTo = source => source == next };
        ActivitySource.AddActivityListener(other);
        using ActivityCpuMeter both = ActivityCpuMeter.Start(SourceName, next.Name);
        both.LateSource.Should().Be(SourceName, "it is the first");
        SpanTimes.Of(_exported.Single()).Total.Should().BeGreaterThanOrEqualTo(0.99);
        string text = _copied.Tags.Single().Should().ContainSingle().Which.Value.Should().BeOfType<string>().Subject;
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds).Should().BeTrue(text);
        (seconds * 1e3).Should().BeInRange(0.99, SpanTimes.Of(_exported.Single()).Total, "the exporter copied the tag before the span was complete");
    }

    private TracerProvider Build() => Sdk.CreateTracerProviderBuilder()
        .AddSource(SourceName)
        .SetSampler(new AlwaysOnSampler())
        .AddInMemoryExporter(_exported)
        .AddProcessor(new SimpleActivityExportProcessor(_copied))
        .Build();

    /// <summary>Copies the tags in the call, like an exporter that serializes them. Values that are not primitive become text.</summary>
    private sealed class CopyingExporter : BaseExporter<Activity>
    {
        public List<KeyValuePair<string, object?>[]> Tags { get; } = [];

        public override ExportResult Export(in Batch<Activity> batch)
        {
            foreach (Activity activity in batch)
            {
                Tags.Add([.. activity.TagObjects.Select(tag =>
                    KeyValuePair.Create(tag.Key, tag.Value is double or string ? tag.Value : Convert.ToString(tag.Value, null)))]);
            }

            return ExportResult.Success;
        }
    }
}
