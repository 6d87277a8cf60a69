using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public sealed class PlainUInt32HistogramTests : HistogramContract
{
    protected override HdrHistogramFactory Factory => HdrHistogram.Factory;
}

public sealed class PlainUInt64HistogramTests : HistogramContract
{
    protected override HdrHistogramFactory Factory => HdrHistogram.Factory.WithUInt64Storage();
}

public sealed class InterlockedUInt32HistogramTests : HistogramContract
{
    protected override HdrHistogramFactory Factory => HdrHistogram.Factory.WithInterlocked();
}

public sealed class InterlockedUInt64HistogramTests : HistogramContract
{
    protected override HdrHistogramFactory Factory => HdrHistogram.Factory.WithInterlocked().WithUInt64Storage();
}

public sealed class ThreadLocalUInt32HistogramTests : HistogramContract
{
    protected override HdrHistogramFactory Factory => HdrHistogram.Factory.WithThreadLocal();
}

public sealed class ThreadLocalUInt64HistogramTests : HistogramContract
{
    protected override HdrHistogramFactory Factory => HdrHistogram.Factory.WithThreadLocal().WithUInt64Storage();
}
