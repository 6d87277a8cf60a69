namespace Picollo.Diagnostics.Meters;

/// <summary>What instruments have measured and no series of its own has. Written by any thread.</summary>
internal sealed class MeterCounts
{
    public long Negative;
    public long NaN;
    public long Overflow;
    public int Series;
}
