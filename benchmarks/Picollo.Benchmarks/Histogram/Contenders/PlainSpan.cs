using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>The plain variant, a thousand values a call.</summary>
internal sealed class PlainSpan(ValueSet set) : RecordContender("plain, Record(span of 1,000)", set)
{
    private const int SpanLength = 1_000;

    private readonly PlainHdrHistogram<uint> _histogram = Factory.Create();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        ReadOnlySpan<ulong> rest = Values(operations);
        while (rest.Length >= SpanLength)
        {
            _histogram.Record(rest[..SpanLength]);
            rest = rest[SpanLength..];
        }

        _histogram.Record(rest);
    }

    protected override ulong[] ReadCounts() => CountsOf(_histogram);
}
