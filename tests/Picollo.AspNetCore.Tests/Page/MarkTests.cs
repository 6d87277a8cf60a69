using System.Text;
using Picollo.Export;

namespace Picollo.AspNetCore.Tests.Page;

public class MarkTests
{
    [Fact]
    public async Task Values_before_and_after_a_mark_are_drawn_together()
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders", 1_000_000, 2_000_000, 100);
        string id = await PageEndpointsTests.IdAsync(server);
        string mark = await server.Client.GetStringAsync($"/picollo/mark?show={id}");
        server.Count("GET", "/orders", 4_000_000, 8_000_000, 50);

        (HttpStatusCode status, string html) = await DiffAsync(server, id, mark);

        status.Should().Be(HttpStatusCode.OK);
        html.Split("<figure>").Should().HaveCount(5, "there are plots of CPU and wall time and of their differences");
        html.Should().Contain("before mark: 2.00704 ms&#10;since mark: 8.02816 ms").And.Contain("<figcaption>CPU, before and after");
        html.Should().Contain("<tr><th scope=\"row\">p50</th><td>2.01</td><td>8.03</td><td>+300.0 %</td></tr>", "a table contains the numbers")
            .And.Contain("<tr><th scope=\"row\">p99.9</th><td>–</td><td>–</td><td>–</td></tr>", "no value lies above this rank");
        (await DiffAsync(server, id, mark)).Html.Should().Be(html, "the server stores nothing");
    }

    [Fact]
    public async Task A_mark_of_another_process_is_compared_with_all_values_of_this_one()
    {
        await using PageServer old = await PageServer.StartAsync();
        old.Count("GET", "/orders", 1_000_000, 2_000_000, 100);
        string id = await PageEndpointsTests.IdAsync(old);
        string mark = await old.Client.GetStringAsync($"/picollo/mark?show={id}");
        await using PageServer server = await PageServer.StartAsync();

        (await DiffAsync(server, id, mark)).Status.Should().Be(HttpStatusCode.NotFound, "the route has not been requested yet");
        server.Count("GET", "/orders", 2_000_000, 4_000_000, 7);

        (await DiffAsync(server, id, mark)).Html.Should().Contain("marked: ").And.Contain("counting has restarted since").And.NotContain("before mark");
    }

    [Fact]
    public async Task A_histogram_that_cannot_be_encoded_cannot_be_marked()
    {
        await using PageServer server = await PageServer.StartAsync();
        HdrHistogram histogram = HdrHistogram.Create();
        server.Registry.Add("size", histogram);
        histogram.Record(ulong.MaxValue);
        (await server.Client.GetAsync($"/picollo/mark?show={PageRow.FromRegistration(server.Registry.Registrations[0]).Id}")).StatusCode
            .Should().Be(HttpStatusCode.Conflict);
    }

    [Fact]
    public async Task An_invalid_mark_is_a_bad_request()
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders");
        string id = await PageEndpointsTests.IdAsync(server);
        string good = Convert.ToBase64String(HdrHistogramEncoding.EncodeCompressed(new RouteRow("GET", "/").HistogramOf(RunFact.CpuTime)!));
        (await DiffAsync(server, id, $$"""{"time":"2026-01-01T00:00:00Z","histograms":["{{good}}","{{good}}"]}""")).Status.Should().Be(HttpStatusCode.OK);
        foreach (string bad in new[]
        {
            "", "null", "{}", "[]", "x", "{\"histograms\":null}", "{\"histograms\":[null,null]}", "{\"histograms\":[\"\",\"\"]}",
            $$"""{"time":"x","histograms":["{{good}}","{{good}}"]}""", $$"""{"histograms":["{{good}}"]}""", $$"""{"histograms":["{{good}}","{{good}}","{{good}}"]}""",
            $$"""{"histograms":["{{good}}","{{good[..16]}}"]}""", $$"""{"histograms":["{{good}}","%%"]}""", $$"""{"histograms":["{{good}}","AAAA"]}""",
        })
        {
            (await DiffAsync(server, id, bad)).Status.Should().Be(HttpStatusCode.BadRequest, bad);
        }
    }

    [Fact]
    public void A_mark_with_another_layout_is_rejected_before_memory_is_allocated()
    {
        PageRow row = PageRow.FromRow(new RouteRow("GET", "/"));
        HdrHistogram largest = HdrHistogram.Factory.WithSignificantDigits(5).WithMaxTrackableValue(long.MaxValue).Create();
        HdrHistogram otherRange = HdrHistogram.Factory.WithLayoutOf(row.Registrations[0].Histogram).WithMaxTrackableValue(long.MaxValue).Create();
        byte[] good = HdrHistogramEncoding.EncodeCompressed(row.Registrations[0].Histogram);
        new ComparisonMark(default, [good, good]).Compare(row).Should().HaveCount(2);
        foreach (byte[] forged in new[]
        {
            HdrHistogramEncoding.EncodeCompressed(largest), HdrHistogramEncoding.EncodeCompressed(otherRange),
            HdrHistogramEncoding.Encode(row.Registrations[0].Histogram), good[..20],
        })
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            FluentActions.Invoking(() => new ComparisonMark(default, [forged, good]).Compare(row)).Should().Throw<FormatException>();

            (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(1_000_000);
        }
    }

    [Theory]
    [InlineData(0.1, 1), InlineData(0.1, 1_000_000), InlineData(0.056, 2), InlineData(0.01, 1_000_000), InlineData(0.001, long.MaxValue)]
    [InlineData(0.001, ulong.MaxValue), InlineData(0.000_001, 1_000_000), InlineData(0.01, 1_000, 1024), InlineData(0.01, 5_000, 1024)]
    public void A_mark_of_any_layout_is_accepted_for_its_own_subject(double relativeError, ulong maxValue, ulong unit = 1)
    {
        HdrHistogram histogram =
            HdrHistogram.Factory.WithRelativeError(relativeError).WithLowestDiscernibleValue(unit).WithMaxTrackableValue(maxValue).Create();
        PageRow row = PageRow.FromRegistration(new HdrHistogramRegistration("any", histogram, HdrHistogramDescription.None));
        histogram.Record(1, 3);
        ComparisonMark mark = ComparisonMark.Create(row, default);
        histogram.Record(Math.Min(maxValue - (maxValue / 4), long.MaxValue / 2), 2);

        MarkedPair pair = mark.Compare(row).Single();

        (pair.Before.TotalCount, pair.After.TotalCount, pair.IsContinued).Should().Be((3, 2, true));
        pair.After.BlockSize.Should().Be(histogram.BlockSize);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_that_is_too_large_is_not_read(bool isChunked)
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders");
        string id = await PageEndpointsTests.IdAsync(server);
        using HttpRequestMessage request = new(HttpMethod.Post, $"/picollo/diff?show={id}")
        {
            Content = new ByteArrayContent(new byte[PageEndpoints.MaxMarkBytes + 1]),
        };
        request.Headers.TransferEncodingChunked = isChunked;
        (await server.Client.SendAsync(request)).StatusCode.Should().Be(HttpStatusCode.RequestEntityTooLarge);
    }

    [Fact]
    public void A_full_histogram_of_a_route_is_far_below_the_size_limit()
    {
        RouteRow usage = new("GET", "/");
        foreach (Bucket bucket in usage.HistogramOf(RunFact.CpuTime)!.Buckets)
        {
            // Counts that take several bytes each and do not repeat.
            ulong count = 1_000_000 + ((ulong)bucket.StorageIndex * 7919 % 1_000_003);
            usage.HistogramOf(RunFact.CpuTime)!.Record(bucket.Start, count);
            usage.HistogramOf(RunFact.WallTime)!.Record(bucket.Start, count);
        }

        ComparisonMark mark = ComparisonMark.Create(PageRow.FromRow(usage), DateTimeOffset.UtcNow);
        JsonSerializer.SerializeToUtf8Bytes(mark, PageJsonContext.Default.ComparisonMark).Length.Should().BeInRange(1000, PageEndpoints.MaxMarkBytes / 10);
    }

    [Fact]
    public void A_mark_that_is_not_an_earlier_state_is_detected_in_any_bucket()
    {
        HdrHistogram marked = HdrHistogram.Create();
        HdrHistogram now = HdrHistogram.Create();
        marked.Record(10, 3);
        now.Record(10, 3);
        now.Record(20, 5);
        MarkedPair.Create(marked, now.GetSnapshot()).IsContinued.Should().BeTrue();
        marked.Record(30);
        MarkedPair.Create(marked, now.GetSnapshot()).IsContinued.Should().BeFalse("a value is missing");
        now.Record(30);
        MarkedPair.Create(marked, now.GetSnapshot()).IsContinued.Should().BeTrue();
        marked.Record(10);
        MarkedPair other = MarkedPair.Create(marked, now.GetSnapshot());
        other.IsContinued.Should().BeFalse("a bucket has fewer values");
        other.After.TotalCount.Should().Be(9, "it contains all values");
    }

    private static async Task<(HttpStatusCode Status, string Html)> DiffAsync(PageServer server, string id, string mark)
    {
        using StringContent body = new(mark, Encoding.UTF8, "application/json");
        using HttpResponseMessage response = await server.Client.PostAsync($"/picollo/diff?show={id}", body);
        return (response.StatusCode, await response.Content.ReadAsStringAsync());
    }
}
