using System.ComponentModel;

namespace Picollo.Metrics;

// Programs for Picollo v0.1 use these members. Midpoint and End replace them.
[SuppressMessage("Naming", "CA1708", Justification = "Two names of v0.1 and of this version.")]
public readonly partial record struct Bucket
{
    /// <summary>The middle of the bucket, as <see cref="Midpoint"/>.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public ulong MidPoint => Midpoint;

    /// <summary>The first value after the bucket, <c>Start + Step</c>; 0 for the last bucket, which ends at 2⁶⁴.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public ulong NextBucketStart => unchecked(Start + Step);
}
