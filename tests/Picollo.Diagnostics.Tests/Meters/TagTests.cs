using System.Diagnostics.Metrics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Picollo.Diagnostics.Meters;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Meters;

public sealed class TagTests : IDisposable
{
    private const string Overflow = "size{otel.metric.overflow=\"true\"}";

    private Listening _listening = new();

    public void Dispose() => _listening.Dispose();

    [Fact]
    public void Ten_thousand_values_have_the_maximum_number_of_series_and_an_overflow_series()
    {
        for (int i = 0; i < 20_000; i++)
        {
            _listening.Record(("user", $"user-{i % 10_000}"));
        }

        _listening.Series.Should().HaveCount(1001).And.Contain(Overflow);
        _listening.CountOf(Overflow).Should().Be(2 * 9_000);
        _listening.CountOf("size{user=\"user-999\"}").Should().Be(2);
        (_listening.Histograms.SeriesCount, _listening.Histograms.OverflowSeriesMeasurementCount, _listening.Total)
            .Should().Be((1000, 18_000, 20_000));
    }

    [Fact]
    public void Tag_orders_of_one_series_do_not_take_the_slots_of_others()
    {
        const int maxSeries = 20;
        Limit(maxSeries);
        KeyValuePair<string, object?>[] tags = Listening.Tags(("a", 0), ("b", 1), ("c", 2), ("d", 3), ("e", 4));
        Seeded.Run(200, random => // more orders than slots
        {
            random.Shuffle(tags);
            _listening.Size.Record(1, tags);
        });
        for (int i = 1; i < (2 * maxSeries) - 1; i++)
        {
            _listening.Record(("a", 1 + (i % (maxSeries - 1))));
        }

        _listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(0);
        _listening.Record(("a", maxSeries));
        _listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(1);
        _listening.CountOf($"size{{a=\"{maxSeries - 1}\"}}").Should().Be(2);
    }

    [Fact]
    public void Text_that_differs_in_any_character_up_to_the_limit_has_another_hash()
    {
        char[] text = new string('a', TagIdentity.MaxTextLength).ToCharArray();
        HashSet<ulong> hashes = [];
        for (int length = 1; length <= text.Length; length++)
        {
            for (int at = 0; at < length; at++)
            {
                text[at] = 'b';
                hashes.Add(TagIdentity.HashOf(Listening.Tags(("k", new string(text, 0, length)))));
                text[at] = 'a';
            }
        }

        hashes.Should().HaveCount(text.Length * (text.Length + 1) / 2);
        TagIdentity.HashOf(Listening.Tags(("k", new string(text) + "yz")))
            .Should().Be(TagIdentity.HashOf(Listening.Tags(("k", new string(text)))));
    }

    [Fact]
    public void The_type_of_a_value_and_tags_without_text_do_not_matter_when_the_limit_is_reached()
    {
        Limit(1);
        foreach (object value in (object[])[200, 404, 200L, "200", (short)200, 200.0, 200m])
        {
            _listening.Record(("code", value));
        }

        _listening.CountOf("size{code=\"200\"}").Should().Be(6);
        _listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(1);

        Limit(2);
        _listening.Record();
        _listening.Record(("a", null), ("b", ""));
        _listening.Record(("b", "x"), ("a", ""), ("c", new NoText()));
        _listening.Record(("b", "x"), ("b", null));
        _listening.Record(("d", 1));
        _listening.Record(("e", null), ("b", "x"));
        (_listening.CountOf("size"), _listening.CountOf("size{b=\"x\"}"), _listening.CountOf(Overflow)).Should().Be((3, 2, 1));
    }

    [Fact]
    public void The_overflow_has_the_labels_of_the_instrument_and_cannot_be_imitated()
    {
        _listening.Record(("otel.metric.overflow", "true"));
        _listening.Series.Should().Equal("size{exported_otel.metric.overflow=\"true\"}");
        _listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(0);

        Limit(1);
        Histogram<int> size = _listening.Meter.CreateHistogram<int>("size", null, null, tags: [new("i", 1.5), new("n", null)]);
        size.Record(1);
        size.Record(1, new KeyValuePair<string, object?>("a", 1));
        _listening.Series.Should().BeEquivalentTo("size{i=\"1.5\"}", "size{i=\"1.5\",otel.metric.overflow=\"true\"}");
    }

    [Fact]
    public void Numbers_in_labels_are_the_same_in_every_culture()
    {
        CultureInfo before = CultureInfo.CurrentCulture;
        CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = ",", NegativeSign = "minus" } };
        _listening.Record(("a", 1.5), ("b", -2), ("c", 1.25m), ("d", (double[])[0.5]));
        CultureInfo.CurrentCulture = before;

        _listening.Only.ToString().Should().Be("size{a=\"1.5\",b=\"-2\",c=\"1.25\",d=\"[0.5]\"}");
    }

    [Fact]
    public void Orders_of_tags_take_a_limited_number_of_slots_and_values_compared_by_their_text_take_one()
    {
        InstrumentSeries series = NewSeries();
        KeyValuePair<string, object?>[] tags = Listening.Tags(("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5));
        series.Record(1, tags);
        series.Record(1, tags);
        series.SlotCount.Should().Be(2, "one for the order, and one for the text of the values");
        Seeded.Run(500, random =>
        {
            random.Shuffle(tags);
            series.Record(1, tags);
        });
        series.SlotCount.Should().BeInRange(3, 10);

        InstrumentSeries foreign = NewSeries();
        foreign.Record(1, Listening.Tags(("a", DayOfWeek.Monday), ("b", 1)));
        foreign.Record(1, Listening.Tags(("a", DayOfWeek.Monday), ("b", 1)));
        foreign.SlotCount.Should().Be(1);

        static InstrumentSeries NewSeries() =>
            new(new Meter("Orders").CreateHistogram<int>("size"), new(1, HdrHistogramDescription.None), new(), new(), maxSeries: 2);
    }

    [Fact]
    public void Long_text_is_not_kept_alive()
    {
        WeakReference text = Measure(_listening);
        GC.Collect();

        text.IsAlive.Should().BeFalse();
        _listening.Total.Should().Be(2);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Measure(Listening listening)
        {
            string text = new('x', 100_000);
            listening.Record(("b", text), ("a", 1));
            listening.Record(("b", text), ("a", 1));
            return new WeakReference(text);
        }
    }

    [Fact]
    public void Any_tags_are_counted_in_the_series_of_their_text() => Seeded.Run(60, random =>
    {
        using Listening listening = new();
        Dictionary<string, ulong> expected = [];
        for (int i = 0; i < 300; i++)
        {
            KeyValuePair<string, object?>[] tags = [.. Enumerable.Range(0, random.Next(4)).Select(_ => new KeyValuePair<string, object?>(Text(1), Value()))];
            SortedDictionary<string, string> labels = new(StringComparer.Ordinal);
            foreach ((string key, object? value) in tags)
            {
                labels[key.Length == 0 ? "(no key)" : key] = value is bool flag ? (flag ? "true" : "false") : value?.ToString() ?? "";
            }

            foreach (string key in labels.Where(label => label.Value.Length == 0).Select(label => label.Key).ToArray())
            {
                labels.Remove(key);
            }

            string series = labels.Count == 0 ? "size" : $"size{{{string.Join(',', labels.Select(label => $"{label.Key}=\"{label.Value}\""))}}}";
            expected[series] = expected.GetValueOrDefault(series) + 1;
            listening.Size.Record(1, tags);
        }

        listening.Registry.Registrations.ToDictionary(one => one.ToString(), one => one.Histogram.TotalCount).Should().BeEquivalentTo(expected);

        // Equal bits of several types, and hashes that do not depend on the key.
        object? Value() => random.Next(12) switch
        {
            0 => null,
            1 => random.Next(3),
            2 => (long)random.Next(3),
            3 => random.Next(2) == 0,
            4 => DayOfWeek.Monday + random.Next(2),
            5 => "ab"[random.Next(2)],
            6 => (object[])[97, 97u, 97UL, (short)97, (ushort)97, (byte)97, (sbyte)97] is var same ? same[random.Next(same.Length)] : null,
            7 => random.Next(3) * 1.0,
            8 => random.Next(3) * 1f,
            9 => random.Next(2) == 0 ? double.NaN : -0.0,
            _ => Text(12),
        };

        string Text(int most) => new([.. Enumerable.Range(0, random.Next(most + 1)).Select(_ => "ab"[random.Next(2)])]);
    });

    [Fact]
    public void Text_of_any_characters_and_length_is_distinguished_up_to_the_limit()
    {
        string huge = new('x', 1 << 20), cut = new('x', TagIdentity.MaxTextLength);
        for (int round = 0; round < 3; round++)
        {
            foreach (string value in (string[])["\0", "\0\0", "\ud800", huge, huge + "y", cut]) // the last three have the same truncated text
            {
                _listening.Record(("a", value));
            }

            _listening.Record((huge, 1));
            _listening.Record((null, 1));
            _listening.Record(("", 1));
        }

        _listening.Series.Should().BeEquivalentTo(
            "size{a=\"\0\"}", "size{a=\"\0\0\"}", "size{a=\"\ud800\"}", $"size{{a=\"{cut}\"}}", $"size{{{cut}=\"1\"}}", "size{(no key)=\"1\"}");
        _listening.CountOf($"size{{a=\"{cut}\"}}").Should().Be(9);
        _listening.CountOf("size{(no key)=\"1\"}").Should().Be(6);
        _listening.Total.Should().Be(27);
    }

    [Fact]
    public void Any_number_of_tags_is_recorded()
    {
        foreach (int count in new[] { 15, 16, 17, 100 })
        {
            KeyValuePair<string, object?>[] tags = [.. Enumerable.Range(0, count).Select(i => new KeyValuePair<string, object?>($"key-{i}", i))];
            _listening.Size.Record(1, tags);
            Array.Reverse(tags);
            _listening.Size.Record(1, tags);
        }

        _listening.Registry.Registrations.Should().HaveCount(4).And.OnlyContain(one => one.Histogram.TotalCount == 2);
    }

    [Fact]
    public void Values_of_other_types_are_recorded_by_their_text_and_may_throw_or_measure()
    {
        object[] values =
        [
            DayOfWeek.Monday, new Guid(1, 2, 3, [4, 5, 6, 7, 8, 9, 10, 11]), 1.5m, (string[])["x", "y"], (int[])[1, 2], (string[])["", "x"], (string[])["x"], Array.Empty<string>(),
            new NoText(), Enumerable.Repeat("long", 1_000_000).ToArray(), new Throwing(),
        ];
        foreach (object value in Enumerable.Repeat(values, 3).SelectMany(each => each))
        {
            _listening.Record(("a", value));
        }

        _listening.Registry.Registrations.Should().HaveCount(11).And.OnlyContain(one => one.Histogram.TotalCount == 3);
        _listening.Series.Should().OnlyContain(series => series.Length < 300).And.Contain([
            "size{a=\"[,x]\"}", "size{a=\"[x]\"}", "size{a=\"Monday\"}", "size{a=\"00000001-0002-0003-0405-060708090a0b\"}",
            "size{a=\"1.5\"}", "size{a=\"[]\"}",
            "size{a=\"[x,y]\"}", "size{a=\"[1,2]\"}", "size", "size{a=\"(ToString failed)\"}"]);

        Limit(100);
        _listening.Record(("a", new Measuring(_listening.Size)));
        _listening.Series.Should().Equal("size{a=\"(nested)\"}", "size{a=\"text\"}");
    }

    private void Limit(int maxSeries)
    {
        _listening.Dispose();
        _listening = new Listening(options => options.MaxSeries = maxSeries);
    }

    private sealed class NoText
    {
        public override string? ToString() => null;
    }

    private sealed class Throwing
    {
        public override string ToString() => throw new InvalidOperationException("text");

        public override bool Equals(object? obj) => throw new InvalidOperationException("equality");

        public override int GetHashCode() => throw new InvalidOperationException("hash");
    }

    private sealed class Measuring(Histogram<int> size)
    {
        public override string ToString()
        {
            size.Record(1, new KeyValuePair<string, object?>("a", this));
            return "text";
        }
    }
}
