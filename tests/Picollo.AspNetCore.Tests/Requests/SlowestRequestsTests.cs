using Picollo.AspNetCore.Tests.Usage;

namespace Picollo.AspNetCore.Tests.Requests;

public class SlowestRequestsTests
{
    private readonly Clock _clock = new();
    private readonly SlowestRequests _slowest;

    public SlowestRequestsTests() => _slowest = new SlowestRequests(request => request.WallNanoseconds, _clock);

    [Fact]
    public void The_four_slowest_of_a_minute_are_kept()
    {
        foreach ((long value, bool isAdmitted) in new[]
        {
            (0L, true), (0, true), (5, true), (1, true), (9, true), (7, true), (3, true), (3, false), (8, true), (2, false),
        })
        {
            _slowest.Admits(value).Should().Be(isAdmitted);
            Add(value);
        }

        Values().Should().Equal(5, 7, 8, 9);
        _slowest.Read()[0].Latency.Should().BeNull();
        (_slowest.Read()[0] with { Timed = new(measureLatency: true) }).Latency.Should().NotBeNull();
        _slowest.Admits(5).Should().BeFalse();
        _slowest.Admits(6).Should().BeTrue();
    }

    [Fact]
    public void Only_the_current_and_the_previous_minute_are_kept()
    {
        Add(100);
        Add(50);
        _clock.Advance(59.9);
        Add(60);
        _clock.Advance(0.2);
        _slowest.Admits(1).Should().BeTrue("a new minute starts empty");
        Add(10);
        Values().Should().Equal(10, 50, 60, 100);

        _clock.Advance(60);
        Values().Should().Equal(10);
        _clock.Advance(60);
        Values().Should().BeEmpty();
        Add(1);
        _clock.Advance(121);
        Add(2);
        Values().Should().Equal([2], "a minute was idle");
    }

    [Fact]
    public void Of_equal_values_the_earlier_one_is_the_slowest()
    {
        Add(7, "first");
        Add(7, "second");
        _slowest.Read()[^1].TraceId.Should().Be("first");
        _clock.Advance(60);
        Add(7, "third");
        _slowest.Read()[^1].TraceId.Should().Be("first");
        Add(8);
        _slowest.ReadExemplars().Select(exemplar => exemplar.TraceId).Should().Equal(["third", "second", "first"], "the last has no trace");
    }

    [Fact]
    public void The_slowest_request_is_replaced_only_by_a_later_request() => Seeded.Run(40, random =>
    {
        Clock clock = new();
        SlowestRequests slowest = new(request => request.WallNanoseconds, clock);
        DateTimeOffset latest = default;
        for (int i = 0; i < 200; i++)
        {
            clock.Advance(random.NextDouble() * random.NextDouble() * 30);
            slowest.Add(Request(random.Next(20), "", clock.GetUtcNow()));
            DateTimeOffset end = slowest.Read()[^1].End;
            end.Should().BeOnOrAfter(latest);
            latest = end;
        }

        slowest.Read().Should().HaveCountLessThanOrEqualTo(2 * SlowestRequests.RequestsPerMinute);
    });

    private static KeptRequest Request(long value, string id, DateTimeOffset end) => new(new RouteRow("GET", "/"), new Outcome(200, ResponseClass.Success), value, 0, end, id, "");

    private void Add(long value, string id = "") => _slowest.Add(Request(value, id, _clock.GetUtcNow()));

    private IEnumerable<long> Values() => _slowest.Read().Select(request => request.WallNanoseconds);
}
