using System.ComponentModel;

namespace Picollo.Metrics;

// Programs for Picollo v0.1 use this member. EndTime replaces it.
public sealed partial class HdrHistogramSummary
{
    /// <summary>The time when the counts were read, in UTC: <see cref="EndTime"/> as a <see cref="DateTime"/>.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public DateTime TimestampUtc => EndTime.UtcDateTime;
}
