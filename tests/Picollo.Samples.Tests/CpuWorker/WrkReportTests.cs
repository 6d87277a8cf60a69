using Picollo.Samples.CpuWorker.Driving;

namespace Picollo.Samples.Tests.CpuWorker;

/// <summary>Texts that wrk 4.1.0 printed; the line of socket errors is put in.</summary>
public sealed class WrkReportTests
{
    private const string Answered = """
        Running 2s test @ http://127.0.0.1:18877/delay1ms
          1 threads and 10 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency     8.82ms   20.34ms   1.45s    94.57%
            Req/Sec     2.29k   414.84     2.56k    94.74%
          Latency Distribution
             50%  386.00us
             75%    4.84ms
             90%    6.76ms
             99%  122.15ms
          4413 requests in 2.01s, 715.39KB read
        Requests/sec:   2198.01
        Transfer/sec:    356.32KB
        """;

    private const string Unanswered = """
        Running 3s test @ http://127.0.0.1:18877/checksumWithoutCpuWorker
          1 threads and 20 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency     0.00us    0.00us   0.00us    -nan%
            Req/Sec     0.00      0.00     0.00      -nan%
          Latency Distribution
             50%    0.00us
             75%    0.00us
             90%    0.00us
             99%    0.00us
          0 requests in 3.01s, 0.00B read
        Requests/sec:      0.00
        Transfer/sec:       0.00B
        """;

    private const string Failed = """
        Running 1s test @ http://127.0.0.1:18877/nowhere
          1 threads and 2 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency   367.29us  665.35us   5.79ms   86.49%
            Req/Sec    22.21k     8.09k   36.93k    70.00%
          Latency Distribution
             50%   59.00us
             75%  292.00us
             90%    1.34ms
             99%    2.95ms
          22151 requests in 1.00s, 2.09MB read
          Socket errors: connect 1, read 20, write 300, timeout 4000
          Non-2xx or 3xx responses: 22151
        Requests/sec:  22069.06
        Transfer/sec:      2.08MB
        """;

    [Fact]
    public void Requests_rate_and_latencies_are_read_each_in_its_unit() =>
        WrkReport.Parse(Answered).Should().Be(new WrkReport(4_413, 2_198.01, 0, new Latencies(0.386, 6.76, 122.15, 1_450)));

    [Fact]
    public void What_answered_nothing_has_no_latency_and_not_one_of_zero() =>
        WrkReport.Parse(Unanswered).Should().Be(new WrkReport(0, 0, 0, null));

    [Fact]
    public void All_kinds_of_failures_are_counted() => WrkReport.Parse(Failed).Failed.Should().Be(1 + 20 + 300 + 4_000 + 22_151);

    [Theory]
    [InlineData("1.50m", 90_000)]
    [InlineData("0.50h", 1_800_000)]
    [InlineData("2.00s", 2_000)]
    public void Long_waits_have_units_of_their_own(string text, double milliseconds) =>
        WrkReport.Parse(Answered.Replace("122.15ms", text, StringComparison.Ordinal)).Latency!.P99.Should().Be(milliseconds);

    [Theory]
    [InlineData("")]
    [InlineData("unable to connect to 127.0.0.1:1 Connection refused")]
    public void Other_texts_are_refused(string text) => FluentActions.Invoking(() => WrkReport.Parse(text)).Should().Throw<FormatException>();
}
