namespace Picollo.Benchmarks.Meters;

/// <summary>What the contenders measure: durations with the tags that HTTP servers and clients have.</summary>
/// <remarks>Each combination of values is there several times, with other boxes of its numbers and, for the address, other strings, as they
/// come from different requests: what compares references alone finds nothing.</remarks>
internal sealed class MeasurementSet
{
    /// <summary>A power of two, so that a loop needs no division to begin again.</summary>
    public const int Count = 256;

    private const int Seed = 42;

    private static readonly string[] Methods = ["GET", "GET", "POST", "DELETE"];
    private static readonly string[] Routes =
        ["/api/orders/{id}", "/api/users/{id}", "/api/orders/{id}/items", "/", "/health", "/api/search", "/api/carts/{id}", "/login"];

    private static readonly int[] Codes = [200, 200, 204, 404];

    private MeasurementSet(int tagCount)
    {
        TagCount = tagCount;
        Random random = new(Seed);
        Values = [.. Enumerable.Range(0, Count).Select(_ => 0.0001 * Math.Exp(random.NextDouble() * 8))];
        Tags = [.. Enumerable.Range(0, Count).Select(_ => Of(random)[..tagCount])];
    }

    public int TagCount { get; }

    /// <summary>Seconds, from 0.1 ms to 0.3 s.</summary>
    public double[] Values { get; }

    public KeyValuePair<string, object?>[][] Tags { get; }

    public static MeasurementSet WithTags(int tagCount) => new(tagCount);

    public override string ToString() => TagCount == 0 ? "no tags" : $"{TagCount} tags";

    private static KeyValuePair<string, object?>[] Of(Random random) =>
    [
        new("http.request.method", Methods[random.Next(Methods.Length)]),
        new("http.response.status_code", Codes[random.Next(Codes.Length)]),
        new("http.route", Routes[random.Next(Routes.Length)]),
        new("server.address", $"backend-{random.Next(2)}.example.com"),
        new("server.port", 443),
    ];
}
