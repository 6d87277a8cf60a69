using Picollo.Samples.CpuWorker.Driving;

namespace Picollo.Samples.Tests.CpuWorker;

/// <summary>Tests with output of wrk 4.1.0. The line with socket errors was added by hand.</summary>
public sealed class WrkReportTests
{
    private const string Answered = """
        Running 2s test @ http://127.0.0.1:18877/delay1ms
          1 threads and 10 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency    72.66ms  145.05ms 596.67ms   86.28%
            Req/Sec     2.06k   749.21     2.63k    85.71%
          3018 requests in 2.03s, 489.28KB read
        Requests/sec:   1489.44
        Transfer/sec:    241.47KB
        Percentiles, us: 4202 4933 37273 105259 320072 461398 542714 569722 596671
        """;

    private const string Unanswered = """
        Running 1s test @ http://127.0.0.1:18877/checksumWithoutCpuWorker
          1 threads and 20 connections
          0 requests in 1.17s, 0.00B read
        Requests/sec:      0.00
        Percentiles, us: 0 0 0 0 0 0 0 0 0
        """;

    private const string Failed = """
        Running 1s test @ http://127.0.0.1:18877/nowhere
          1 threads and 2 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency   107.02us  172.43us   4.50ms   98.65%
            Req/Sec    19.62k     1.18k   21.15k    63.64%
          21450 requests in 1.10s, 2.03MB read
          Socket errors: connect 1, read 20, write 300, timeout 4000
          Non-2xx or 3xx responses: 21450
        Requests/sec:  19485.99
        Transfer/sec:      1.84MB
        Percentiles, us: 87 95 109 121 142 180 237 329 4501
        """;

    [Fact]
    public void Reports_are_parsed_and_other_texts_are_rejected()
    {
        WrkReport.Parse(Answered).Should().Be(
            new WrkReport(3_018, 1_489.44, 0, new Latencies(4.202, 4.933, 37.273, 105.259, 320.072, 461.398, 542.714, 569.722, 596.671)));
        WrkReport.Parse(Unanswered).Should().Be(new WrkReport(0, 0, 0, null));
        WrkReport.Parse(Failed).Failed.Should().Be(1 + 20 + 300 + 4_000 + 21_450, "all kinds of failures are counted");
        foreach (string text in new[] { "", "unable to connect to 127.0.0.1:1 Connection refused", Answered.Replace("Percentiles", "", StringComparison.Ordinal) })
        {
            FluentActions.Invoking(() => WrkReport.Parse(text)).Should().Throw<FormatException>();
        }
    }
}
