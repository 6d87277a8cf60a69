namespace Picollo.Export.Tests;

/// <summary>A classic histogram in an exposition.</summary>
internal sealed record ExpositionSeries(string Name, string Help, IReadOnlyDictionary<string, string> Labels)
{
    /// <summary>The bounds as text and as numbers, with the number of values at or below each. The last one is +Inf.</summary>
    public List<(string Text, double Bound, ulong Count)> Buckets { get; } = [];

    public double? Sum { get; set; }

    public ulong? Count { get; set; }
}
