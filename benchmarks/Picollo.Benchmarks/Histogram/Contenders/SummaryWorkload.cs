using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>A histogram of one hour in nanoseconds at 0.1 %, with the wide values in it.</summary>
internal static class SummaryWorkload
{
    public const ulong OneHour = 3_600_000_000_000;

    /// <summary>A few microseconds each.</summary>
    public const int OperationsPerRun = 50;

    public static PlainHdrHistogram<uint> Create()
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithRelativeError(0.001).WithMaxTrackableValue(OneHour).Create();
        foreach (ulong value in ValueSet.Wide.Values)
        {
            histogram.Record(value);
        }

        return histogram;
    }
}
