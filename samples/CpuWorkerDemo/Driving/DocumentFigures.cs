namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>The figures in the README of Go's cpuworker, which this sample calls the document. The server is a Go program with GOMAXPROCS 16, of
/// which the scheduler uses 12, on an AWS c5d.12xlarge. The client is <c>ab</c> with 100 connections on a c5d.4xlarge. The times are whole
/// milliseconds.</summary>
/// <param name="RequestsPerSecond">The number of responses per second.</param>
/// <param name="Latency">The response times.</param>
/// <param name="LoadAverage">The load average in the text of the document, or <see langword="null"/> if it states none.</param>
public sealed record DocumentFigures(double RequestsPerSecond, Latencies Latency, double? LoadAverage = null)
{
    public static DocumentFigures Alone { get; } = new(44_413.06, new(2, 2, 2, 2, 3, 3, 4, 4, 5));

    public static DocumentFigures Unscheduled { get; } = new(316.80, new(293, 323, 353, 380, 454, 504, 604, 615, 1_038), 16);

    public static DocumentFigures Scheduled { get; } = new(42_655.75, new(2, 2, 2, 3, 3, 4, 4, 4, 5), 12);

    public static DocumentFigures WithBoth { get; } = new(42_031.11, new(2, 2, 2, 3, 3, 4, 4, 4, 5), 12);

    public static DocumentFigures Small { get; } = new(21_333.56, new(3, 4, 6, 9, 11, 11, 12, 12, 13));
}
