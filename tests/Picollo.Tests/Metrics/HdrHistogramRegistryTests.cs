using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class HdrHistogramRegistryTests
{
    private readonly HdrHistogramRegistry _registry = new();

    [Fact]
    public void A_histogram_is_found_by_its_name_and_labels_in_any_order()
    {
        var histogram = HdrHistogram.Create();
        _registry.Add("latency", histogram, [new("route", "/a"), new("method", "GET")]);

        _registry.TryGet("latency", [new("method", "GET"), new("route", "/a")], out HdrHistogram? found).Should().BeTrue();
        found.Should().BeSameAs(histogram);
        _registry.TryGet("latency", [new("route", "/a"), new("method", "GET")], out found).Should().BeTrue("the order does not matter");
        found.Should().BeSameAs(histogram);
        _registry.TryGet("latency", [new("method", "GET")], out _).Should().BeFalse("labels must be exactly the same");
        _registry.TryGet("latency", [new("method", "GET"), new("route", "/A")], out _).Should().BeFalse("values are case-sensitive");
        _registry.TryGet("Latency", [new("method", "GET"), new("route", "/a")], out _).Should().BeFalse("names are case-sensitive");
    }

    [Fact]
    public void Labels_can_be_omitted_and_come_from_any_collection()
    {
        var histogram = HdrHistogram.Create();
        Dictionary<string, string> labels = new() { ["route"] = "/a", ["method"] = "GET" };
        _registry.Add("plain", histogram, HdrHistogramDescription.Nanoseconds);
        _registry.Add("labeled", histogram, labels.ToArray());

        _registry.TryGet("plain", out HdrHistogram? found).Should().BeTrue();
        found.Should().BeSameAs(histogram);
        _registry.TryGet("labeled", out _).Should().BeFalse("it has labels");
        _registry.GetOrAdd("plain", HdrHistogram.Create).Should().BeSameAs(histogram);
        _registry.GetOrAdd("plain", HdrHistogram.Create, HdrHistogramDescription.Nanoseconds).Should().BeSameAs(histogram);
        _registry.Registrations.Single(one => one.Name == "labeled").Labels
            .Should().Equal(KeyValuePair.Create("method", "GET"), KeyValuePair.Create("route", "/a"));
        new HdrHistogramRegistration("x", histogram, HdrHistogramDescription.None, labels.ToArray()).ToString()
            .Should().Be("x{method=\"GET\",route=\"/a\"}", "labels are sorted by their keys");
        new HdrHistogramRegistration("x", histogram, HdrHistogramDescription.None).Labels.Should().BeEmpty();
        _registry.Remove("plain").Should().BeTrue();
        _registry.Invoking(registry => registry.Add("y", histogram, new KeyValuePair<string, string>[1]))
            .Should().Throw<ArgumentNullException>("the key is null");
    }

    [Theory]
    [InlineData("a", "\0" + "10xxxxxxxx", "", "a", "1", "xxxxxxxx\0" + "0")]
    [InlineData("a", "b", "c\0d", "a", "b\0c", "d")]
    [InlineData("a", "kkkkk", "0", "a5:kkkkk1:0", null, null)]
    [InlineData("a", "kkkkk", "0", "a\0" + "1\0" + "5kkkkk", null, null)]
    public void Names_and_labels_with_NUL_and_digits_are_distinguished(
        string name, string label, string value, string otherName, string? otherLabel, string? otherValue)
    {
        _registry.Add(name, HdrHistogram.Create(), [new(label, value)]);
        _registry.TryGet(otherName, otherLabel is null ? [] : [new(otherLabel, otherValue!)], out _).Should().BeFalse();
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

        ThreadLocalHdrHistogram<ulong> first = _registry.GetOrAdd("x", Create, [new("k", "v")]);
        ThreadLocalHdrHistogram<ulong> second = _registry.GetOrAdd("x", Create, [new("k", "v")]);

        second.Should().BeSameAs(first);
        created.Should().Be(1);
        FluentActions.Invoking(() => _registry.GetOrAdd("x", HdrHistogram.Create, [new("k", "v")]))
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
    public void Registrations_are_a_sorted_copy_with_readable_names()
    {
        _registry.Add("b", HdrHistogram.Create());
        _registry.Add("a", HdrHistogram.Create(), [new("z", "1"), new("y", "2")]);
        _registry.Add("a", HdrHistogram.Create(), [new("x", "1")]);
        _registry.Add("a", HdrHistogram.Create(), [new("long", "1")]);
        IReadOnlyList<HdrHistogramRegistration> before = _registry.Registrations;
        _registry.Registrations.Should().BeSameAs(before, "the list is cached until a change");
        _registry.Remove("b").Should().BeTrue();
        _registry.Remove("b").Should().BeFalse();

        before.Select(r => r.ToString()).Should().Equal("a{long=\"1\"}", "a{x=\"1\"}", "a{y=\"2\",z=\"1\"}", "b");
        _registry.Registrations.Select(r => r.Name).Should().Equal("a", "a", "a");
    }

    [Fact]
    public void Invalid_registrations_are_rejected()
    {
        var histogram = HdrHistogram.Create();
        _registry.Add("x", histogram);

        FluentActions.Invoking(() => _registry.Add("x", histogram)).Should().Throw<ArgumentException>().WithMessage("*x is already registered*");
        FluentActions.Invoking(() => _registry.Add("", histogram)).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => _registry.Add("y", null!)).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => _registry.Add("y", histogram, [new("k", "1"), new("k", "2")])).Should().Throw<ArgumentException>().WithMessage("*'k' is duplicated*");
        FluentActions.Invoking(() => _registry.Add("y", histogram, [new("", "1")])).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => _registry.Add("y", histogram, [new("k", null!)])).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => _registry.GetOrAdd<HdrHistogram>("y", () => null!)).Should().Throw<ArgumentNullException>();
        _registry.TryGet("y", out _).Should().BeFalse();
    }

    [Fact]
    public void All_registrations_of_a_name_have_one_description()
    {
        HdrHistogramDescription seconds = HdrHistogramDescription.Nanoseconds with { Help = "Time." };
        _registry.Add("x", HdrHistogram.Create(), seconds, [new("k", "1")]);
        _registry.Add("x", HdrHistogram.Create(), seconds with { }, [new("k", "2")]);
        _registry.Add("x", HdrHistogram.Create(), [new("k", "3")]);
        _registry.GetOrAdd("x", HdrHistogram.Create, [new("k", "4")]);
        _registry.GetOrAdd("x", HdrHistogram.Create, seconds, [new("k", "5")]);
        bool created = false;
        PlainHdrHistogram<uint> Create()
        {
            created = true;
            return HdrHistogram.Create();
        }

        _registry.Registrations.Should().HaveCount(5).And.OnlyContain(registration => registration.Description == seconds);
        HdrHistogramDescription other = seconds with { Help = "Another." };
        FluentActions.Invoking(() => _registry.Add("x", HdrHistogram.Create(), other, [new("k", "6")]))
            .Should().Throw<ArgumentException>().WithMessage("'x' is registered with another description*Time.*").WithParameterName("description");
        FluentActions.Invoking(() => _registry.GetOrAdd("x", Create, other, [new("k", "6")])).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => _registry.GetOrAdd("x", Create, other, [new("k", "1")])).Should().Throw<ArgumentException>();
        created.Should().BeFalse();
        _registry.Registrations.Should().HaveCount(5);
    }

    [Fact]
    public void A_name_without_registrations_can_get_a_new_description()
    {
        _registry.Add("x", HdrHistogram.Create(), [new("k", "1")]);
        _registry.Add("x", HdrHistogram.Create(), [new("k", "2")]);
        _registry.Registrations.Should().OnlyContain(registration => registration.Description == HdrHistogramDescription.None);

        _registry.Remove("x", [new("k", "1")]);
        FluentActions.Invoking(() => _registry.Add("x", HdrHistogram.Create(), HdrHistogramDescription.Nanoseconds))
            .Should().Throw<ArgumentException>();
        _registry.Remove("x", [new("k", "2")]);
        _registry.Add("x", HdrHistogram.Create(), HdrHistogramDescription.Nanoseconds);

        _registry.Registrations.Single().Description.Should().Be(HdrHistogramDescription.Nanoseconds);
    }

    [Fact]
    public void A_description_is_validated()
    {
        HdrHistogramDescription.None.Should().Be(new HdrHistogramDescription());
        HdrHistogramDescription.Nanoseconds.Should().Be(new HdrHistogramDescription
        {
            Unit = new() { Name = "seconds", Ratio = 1e9 },
            LowestBound = 1024,
            HighestBound = 68_719_476_735,
        });
        foreach (double ratio in new[] { 0, -1, 0.99e-30, 1.01e30, double.NaN, double.PositiveInfinity })
        {
            FluentActions.Invoking(() => HdrHistogramDescription.None with { Unit = new() { Ratio = ratio } }).Should().Throw<ArgumentOutOfRangeException>();
        }

        FluentActions.Invoking(() => HdrHistogramDescription.None with { Help = null! }).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => HdrHistogramDescription.None with { Unit = new() { Name = null! } }).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => HdrHistogramDescription.None with { Unit = null! }).Should().Throw<ArgumentNullException>();
        _registry.Add("equal", HdrHistogram.Create(), new HdrHistogramDescription { LowestBound = 7, HighestBound = 7 });
        HdrHistogramDescription reversed = new() { LowestBound = 2, HighestBound = 1 };
        FluentActions.Invoking(() => _registry.Add("x", HdrHistogram.Create(), reversed))
            .Should().Throw<ArgumentException>().WithMessage("LowestBound (2)*HighestBound (1)*");
        FluentActions.Invoking(() => _registry.GetOrAdd("x", HdrHistogram.Create, reversed)).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => new HdrHistogramRegistration("x", HdrHistogram.Create(), reversed)).Should().Throw<ArgumentException>();
        _registry.Registrations.Should().ContainSingle();
    }
}
