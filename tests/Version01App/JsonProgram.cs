using System.Text.Json;
using Picollo.Metrics;

namespace Version01App;

/// <summary>Writes summaries, percentiles, buckets and snapshots as JSON.</summary>
public static class JsonProgram
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true };

    public static void Run()
    {
        HdrHistogram h = HdrHistogram.Factory.WithRelativeError(0.001).WithMinTrackableValue(200).WithMaxTrackableValue(100_000).Create();
        for (ulong value = 0; value <= 2_000; value++)
        {
            h.Record(value * 100);
        }

        HdrHistogramSummary summary = h.GetSummary();
        string json = JsonSerializer.Serialize(summary, Indented);
        HdrHistogramSummary? read = JsonSerializer.Deserialize<HdrHistogramSummary>(json);
        Console.WriteLine($"summary: {summary.Equals(read)}");
        foreach (JsonProperty property in JsonDocument.Parse(json).RootElement.EnumerateObject())
        {
            Console.WriteLine($"  {property.Name}");
        }

        Print("percentile", summary.P99);
        Print("bucket", summary.P99.Bucket);
        using var snapshot = h.GetSnapshot();
        Console.WriteLine($"snapshot: {snapshot.Equals(JsonSerializer.Deserialize<HdrHistogramSnapshot>(JsonSerializer.Serialize(snapshot)))}");

        try
        {
            JsonSerializer.Deserialize<HdrHistogramSummary>("{}");
        }
        catch (JsonException e)
        {
            Console.WriteLine($"refused: {e.Message}");
        }
    }

    private static void Print<T>(string name, T value)
        where T : struct
    {
        string json = JsonSerializer.Serialize(value);
        Console.WriteLine($"{name}: {value.Equals(JsonSerializer.Deserialize<T>(json))}, {json}");
    }
}
