namespace Picollo.Benchmarks.Meters;

/// <summary>The measurements of the contenders: durations with the tags of HTTP servers and clients.</summary>
/// <remarks>Each combination of values occurs several times, with different boxed numbers and different address strings, as in different
/// requests. A lookup that compares only references therefore finds nothing.</remarks>
internal sealed class MeasurementSet
{
    /// <summary>The number of measurements. It is a power of two, so that a loop can wrap without a division.</summary>
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

    /// <summary>The durations in seconds, from 0.1 ms to 0.3 s.</summary>
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
