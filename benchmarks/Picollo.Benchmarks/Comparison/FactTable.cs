using System.Globalization;

namespace Picollo.Benchmarks.Comparison;

/// <summary>A table of numbers, byte counts mostly, and the most that each may be.</summary>
internal sealed class FactTable(string heading, string unit = "bytes")
{
    private readonly TextTable _table = new(heading, unit, "target", "verdict");

    public void Add(string what, double bytes, double limit) => _table.Add(
        what,
        bytes.ToString("#,0.###", CultureInfo.InvariantCulture),
        limit.ToString("<= #,0", CultureInfo.InvariantCulture),
        bytes <= limit ? "ok" : (bytes - limit).ToString("'MISSED by' #,0.###", CultureInfo.InvariantCulture));

    /// <summary>One that is not held against anything.</summary>
    public void Add(string what, double bytes) => _table.Add(what, bytes.ToString("#,0.###", CultureInfo.InvariantCulture));

    public void Print(TextWriter output) => _table.Print(output);
}
