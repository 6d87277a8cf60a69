namespace Picollo.Diagnostics.Meters;

/// <summary>Counts that all instruments share. Written by any thread.</summary>
internal sealed class MeterCounts
{
    public long Negative;
    public long NaN;
    public long Overflow;
    public int Series;
}
