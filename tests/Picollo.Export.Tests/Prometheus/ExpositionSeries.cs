namespace Picollo.Export.Tests;

/// <summary>A classic histogram as an exposition has it.</summary>
internal sealed record ExpositionSeries(string Name, string Help, IReadOnlyDictionary<string, string> Labels)
{
    /// <summary>The bounds as they are written and as numbers, +Inf the last, each with how many values are at or below it.</summary>
    public List<(string Text, double Bound, ulong Count)> Buckets { get; } = [];

    public double? Sum { get; set; }

    public ulong? Count { get; set; }
}
