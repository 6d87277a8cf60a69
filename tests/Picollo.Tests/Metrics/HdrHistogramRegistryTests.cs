using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class HdrHistogramRegistryTests
{
    private readonly HdrHistogramRegistry _registry = new();

    [Fact]
    public void A_histogram_is_found_by_its_name_and_labels_in_any_order()
    {
        var histogram = HdrHistogram.Create();
        _registry.Add("latency", histogram, ("route", "/a"), ("method", "GET"));

        _registry.TryGet("latency", out HdrHistogram? found, ("method", "GET"), ("route", "/a")).Should().BeTrue();
        found.Should().BeSameAs(histogram);
        _registry.TryGet("latency", out _, ("method", "GET")).Should().BeFalse("labels must be exactly the same");
        _registry.TryGet("latency", out _, ("method", "GET"), ("route", "/A")).Should().BeFalse("values are case-sensitive");
        _registry.TryGet("Latency", out _, ("method", "GET"), ("route", "/a")).Should().BeFalse("names are case-sensitive");
    }

    [Fact]
    public void GetOrAdd_creates_once_and_keeps_the_variant()
    {
        int created = 0;
        ThreadLocalHdrHistogram<ulong> Create()
        {
            created++;
            return HdrHistogram.Factory.WithUInt64Storage().WithThreadLocal().Create();
        }

        ThreadLocalHdrHistogram<ulong> first = _registry.GetOrAdd("x", Create, ("k", "v"));
        ThreadLocalHdrHistogram<ulong> second = _registry.GetOrAdd("x", Create, ("k", "v"));

        second.Should().BeSameAs(first);
        created.Should().Be(1);
        FluentActions.Invoking(() => _registry.GetOrAdd("x", HdrHistogram.Create, ("k", "v")))
            .Should().Throw<ArgumentException>().WithMessage("*x{k=\"v\"}*ThreadLocal*");
    }

    [Fact]
    public void Threads_that_race_for_a_name_get_one_histogram()
    {
        var histograms = new HdrHistogram[32];
        Parallel.For(0, histograms.Length, i => histograms[i] = _registry.GetOrAdd("x", HdrHistogram.Create));

        histograms.Distinct().Should().ContainSingle();
    }

    [Fact]
    public void Texts_that_run_together_stay_apart()
    {
        _registry.Add("a", HdrHistogram.Create(), ("b", "c\0d"));
        _registry.Add("a", HdrHistogram.Create(), ("b\0c", "d"));
        _registry.Add("a\0b", HdrHistogram.Create(), ("c", "d"));
        _registry.Add("a", HdrHistogram.Create(), ("b", "c"), ("d", ""));

        _registry.Registrations.Should().HaveCount(4);
    }

    [Fact]
    public void Registrations_are_a_sorted_copy_with_readable_names()
    {
        _registry.Add("b", HdrHistogram.Create());
        _registry.Add("a", HdrHistogram.Create(), ("z", "1"), ("y", "2"));
        _registry.Add("a", HdrHistogram.Create(), ("x", "1"));
        _registry.Add("a", HdrHistogram.Create(), ("long", "1"));
        IReadOnlyList<HdrHistogramRegistration> before = _registry.Registrations;
        _registry.Remove("b").Should().BeTrue();
        _registry.Remove("b").Should().BeFalse();

        before.Select(r => r.ToString()).Should().Equal("a{long=\"1\"}", "a{x=\"1\"}", "a{y=\"2\",z=\"1\"}", "b");
        _registry.Registrations.Select(r => r.Name).Should().Equal("a", "a", "a");
    }

    [Fact]
    public void What_does_not_fit_is_refused()
    {
        var histogram = HdrHistogram.Create();
        _registry.Add("x", histogram);

        FluentActions.Invoking(() => _registry.Add("x", histogram)).Should().Throw<ArgumentException>().WithMessage("*x is registered*");
        FluentActions.Invoking(() => _registry.Add("", histogram)).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => _registry.Add("y", null!)).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => _registry.Add("y", histogram, ("k", "1"), ("k", "2"))).Should().Throw<ArgumentException>().WithMessage("*'k'*twice*");
        FluentActions.Invoking(() => _registry.Add("y", histogram, ("", "1"))).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => _registry.Add("y", histogram, ("k", null!))).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => _registry.GetOrAdd<HdrHistogram>("y", () => null!)).Should().Throw<ArgumentNullException>();
        _registry.TryGet("y", out _).Should().BeFalse();
    }
}
