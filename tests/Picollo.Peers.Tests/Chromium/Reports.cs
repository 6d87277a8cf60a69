using Picollo.Export;
using Picollo.Export.Tests.Plots;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>The pages to check, by name.</summary>
internal static class Reports
{
    private const string Hostile = "</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u0000";

    private static readonly ulong[] TwentyDigits = [ulong.MaxValue / 2, ulong.MaxValue];

    private static readonly Dictionary<string, (KeyValuePair<string, ReadOnlyHdrHistogram>[] Series, HdrHistogramUnit? Unit, string Title)> All = new()
    {
        ["two"] = ([new("before", SomeLatencies.Of(1)), new("after", SomeLatencies.Of(2))], new() { Name = "ms", Ratio = 1e6 }, "Checkout latency"),
        ["one"] = ([new("it", SomeLatencies.Of(3))], null, ""),
        ["many"] = ([.. Enumerable.Range(0, 30).Select(i => new KeyValuePair<string, ReadOnlyHdrHistogram>($"GET /api/v1/orders/{{id}}/items/{i}", SomeLatencies.Of(i)))], null, "Thirty"),
        ["edges"] = ([new("largest", One(ulong.MaxValue)), new("zero", One(0)), new("idle", HdrHistogram.Create()), new("wide", Wide())], null, ""),
        ["hostile"] = ([new(Hostile, One(7)), new(new string('W', 5000), One(9))], new() { Name = Hostile }, Hostile),
        ["long"] = ([new("before", One(TwentyDigits)), new("after", One(TwentyDigits))], null, "Long"),
        ["lossy"] = (
            [new("zeros and more", One([.. new ulong[3000], .. Enumerable.Range(1, 4999).Select(value => (ulong)value)])), new(new string('W', 100), Lossy(ulong.MaxValue / 3)), new("short", Lossy(1))],
            new() { Name = "s", Ratio = 1e3 },
            "Zeros, and values out of range"),
        ["none"] = ([], null, ""),
    };

    public static KeyValuePair<string, ReadOnlyHdrHistogram>[] Series(string name) => All[name].Series;

    public static HdrHistogramUnit? Unit(string name) => All[name].Unit;

    public static string Title(string name) => All[name].Title;

    public static string Page(string name)
    {
        using StringWriter page = new();
        HdrHistogramPlot.WriteReport(page, Series(name), Unit(name), Title(name));
        return page.ToString();
    }

    private static HdrHistogram One(params ulong[] values)
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(values);
        return histogram;
    }

    private static HdrHistogram Lossy(ulong count)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithUInt64Storage().WithMaxTrackableValue(1000).Create();
        histogram.Record(500, 100);
        histogram.Record(20_000, count);
        return histogram;
    }

    private static HdrHistogram Wide()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(5).Create();
        Random random = new(1);
        for (int i = 0; i < 100_000; i++)
        {
            histogram.Record((ulong)Math.Exp(random.NextDouble() * random.NextDouble() * Math.Log(3.6e12)));
        }

        return histogram;
    }
}
