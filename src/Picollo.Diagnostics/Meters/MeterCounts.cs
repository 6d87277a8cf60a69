namespace Picollo.Diagnostics.Meters;

/// <summary>The counts that all instruments share. Any thread can write them.</summary>
internal sealed class MeterCounts
{
    public long Negative;
    public long NaN;
    public long Overflow;
    public int Series;
}
