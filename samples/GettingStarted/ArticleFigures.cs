namespace Picollo.Samples;

/// <summary>The time and memory of one histogram: nanoseconds per record, and bytes.</summary>
internal readonly record struct Figure(double Nanoseconds, long Bytes);

/// <summary>A range of the article's single-threaded measurements, with its figures. "Legacy" is the HdrHistogram library for .NET.</summary>
internal sealed record SingleThreadedFigures(string Maximum, ulong MaxTrackableValue, Figure Picollo, Figure Legacy)
{
    public static SingleThreadedFigures[] All { get; } =
    [
        new("7716549600", 7_716_549_600, new(2.7, 97_588), new(10.7, 98_816)),
        new("30000", 30_000, new(3.0, 24_004), new(3.5, 25_088)),
        new("NanoScope.OneSecondValue = 1_000_000_000", Metrics.NanoScope.OneSecondValue, new(2.8, 85_572), new(7.0, 98_816)),
        new("long.MaxValue", long.MaxValue, new(2.8, 221_300), new(14.6, 221_300)),
    ];
}

/// <summary>A case of the article's multi-threaded measurements, with its figures.</summary>
internal sealed record ThreadFigures(
    string Maximum, ulong MaxTrackableValue, int Threads, Figure ThreadLocal, Figure Interlocked, Figure Legacy)
{
    public static ThreadFigures[] All { get; } =
    [
        new("long.MaxValue", long.MaxValue, 1, new(5.5, 442_608), new(9.6, 221_304), new(31.6, 225_792)),
        new("long.MaxValue", long.MaxValue, 2, new(5.5, 663_912), new(12.1, 221_304), new(181, 225_792)),
        new("long.MaxValue", long.MaxValue, 4, new(5.6, 1_106_520), new(14.9, 221_304), new(408, 225_792)),
        new("30000", 30_000, 1, new(5.3, 48_016), new(9.6, 24_008), new(29.1, 25_088)),
        new("30000", 30_000, 2, new(5.2, 72_024), new(20.4, 24_008), new(174, 25_088)),
        new("30000", 30_000, 4, new(5.4, 120_040), new(38.7, 24_008), new(446, 25_088)),
    ];

    /// <summary>The case with one thread and the same range.</summary>
    public ThreadFigures WithOneThread => All.First(one => one.MaxTrackableValue == MaxTrackableValue);
}
