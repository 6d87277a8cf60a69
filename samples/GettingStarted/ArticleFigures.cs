namespace Picollo.Samples;

/// <summary>Time and memory of one histogram: nanoseconds per record, and bytes.</summary>
internal readonly record struct Figure(double Nanoseconds, long Bytes);

/// <summary>One case of the article's multi-threaded table, with its figures.</summary>
internal sealed record ArticleFigures(
    string Maximum, ulong MaxTrackableValue, int Threads, Figure ThreadLocal, Figure Interlocked, Figure Legacy)
{
    public static ArticleFigures[] All { get; } =
    [
        new("long.MaxValue", long.MaxValue, 1, new(5.5, 442_608), new(9.6, 221_304), new(31.6, 225_792)),
        new("long.MaxValue", long.MaxValue, 2, new(5.5, 663_912), new(12.1, 221_304), new(181, 225_792)),
        new("long.MaxValue", long.MaxValue, 4, new(5.6, 1_106_520), new(14.9, 221_304), new(408, 225_792)),
        new("30000", 30_000, 1, new(5.3, 48_016), new(9.6, 24_008), new(29.1, 25_088)),
        new("30000", 30_000, 2, new(5.2, 72_024), new(20.4, 24_008), new(174, 25_088)),
        new("30000", 30_000, 4, new(5.4, 120_040), new(38.7, 24_008), new(446, 25_088)),
    ];
}
