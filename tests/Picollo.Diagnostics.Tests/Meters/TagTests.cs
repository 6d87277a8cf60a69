using System.Diagnostics.Metrics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Picollo.Diagnostics.Meters;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Meters;

public class TagTests
{
    private const string Overflow = "size{otel.metric.overflow=\"true\"}";

    [Fact]
    public void Ten_thousand_values_have_the_maximum_number_of_series_and_an_overflow_series()
    {
        using Listening listening = new(options => options.MaxSeries = 100);
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < 10_000; i++)
            {
                size.Record(i, new KeyValuePair<string, object?>("user", $"user-{i}"));
            }
        }

        listening.Series.Should().HaveCount(101).And.Contain(Overflow);
        listening.CountOf(Overflow).Should().Be(2 * 9_900);
        listening.CountOf("size{user=\"user-99\"}").Should().Be(2);
        (listening.Histograms.SeriesCount, listening.Histograms.OverflowSeriesMeasurementCount, listening.Total).Should().Be((100, 19_800, 20_000));
    }

    [Fact]
    public void The_default_limit_handles_ten_thousand_values_of_every_type()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        for (int i = 0; i < 10_000; i++)
        {
            object value = (i % 4) switch { 0 => i, 1 => (long)i, 2 => i + 0.5, _ => $"{i}" };
            size.Record(1, new("a", value), new("b", i % 7));
        }

        (listening.Histograms.SeriesCount, listening.Histograms.OverflowSeriesMeasurementCount, listening.Total).Should().Be((1000, 9_000, 10_000));
    }

    [Fact]
    public void Tags_in_another_order_are_the_same_series()
    {
        using Listening listening = new(options => options.MaxSeries = 1);
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        KeyValuePair<string, object?>[] tags = Listening.Tags(("a", "x"), ("b", 1), ("c", true), ("d", null), ("e", "y"));
        Seeded.Run(500, random =>
        {
            KeyValuePair<string, object?>[] shuffled = [.. tags];
            random.Shuffle(shuffled);
            size.Record(1, shuffled);
            size.Record(1, shuffled);
        });

        listening.Only.ToString().Should().Be("size{a=\"x\",b=\"1\",c=\"true\",e=\"y\"}");
        listening.Only.Histogram.TotalCount.Should().Be(1000, "orders without a slot are found, too");
    }

    [Fact]
    public void Tags_in_another_order_are_found_when_the_limit_is_reached()
    {
        using Listening listening = new(options => options.MaxSeries = 1);
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        size.Record(1, new("a", 1), new("b", 2), new("c", 3));
        size.Record(1, new KeyValuePair<string, object?>("other", 1));
        listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(1);

        size.Record(1, new("c", 3), new("a", 1), new("b", 2));
        size.Record(1, new("b", 2), new("c", 3), new("a", 1));
        size.Record(1, Listening.Tags(("b", 1), ("c", 3), ("a", 1), ("b", 2)));

        listening.CountOf("size{a=\"1\",b=\"2\",c=\"3\"}").Should().Be(4);
        listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(1);
    }

    [Fact]
    public void Tag_orders_of_one_series_do_not_take_the_slots_of_others()
    {
        const int maxSeries = 20;
        using Listening listening = new(options => options.MaxSeries = maxSeries);
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        Seeded.Run(200, random => // more orders than slots
        {
            KeyValuePair<string, object?>[] tags = Listening.Tags(("a", 0), ("b", 1), ("c", 2), ("d", 3), ("e", 4));
            random.Shuffle(tags);
            size.Record(1, tags);
        });
        for (int i = 1; i < maxSeries; i++)
        {
            size.Record(1, new KeyValuePair<string, object?>("a", i));
        }

        size.Record(1, new KeyValuePair<string, object?>("a", maxSeries));
        listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(1);
        for (int i = 1; i < maxSeries; i++)
        {
            size.Record(1, new KeyValuePair<string, object?>("a", i));
        }

        listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(1);
        listening.CountOf($"size{{a=\"{maxSeries - 1}\"}}").Should().Be(2);
    }

    [Fact]
    public void Tags_with_swapped_keys_are_another_series()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");

        size.Record(1, new("a", "x"), new("b", "y"));
        size.Record(1, new("b", "x"), new("a", "y"));

        listening.Series.Should().Equal("size{a=\"x\",b=\"y\"}", "size{a=\"y\",b=\"x\"}");
    }

    [Fact]
    public void The_last_value_of_a_duplicate_key_is_used()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");

        for (int i = 0; i < 3; i++)
        {
            size.Record(1, new("a", 1), new("b", 1), new("a", 2));
        }

        listening.Only.ToString().Should().Be("size{a=\"2\",b=\"1\"}");
    }

    [Fact]
    public void Tags_with_the_same_hash_are_different_series()
    {
        // The hash does not include keys, and equal numbers of several types have the same bits.
        KeyValuePair<string, object?>[][] all =
        [
            Listening.Tags(("a", "x")), Listening.Tags(("b", "x")), Listening.Tags(("a", 2)), Listening.Tags(("a", false)), Listening.Tags(("b", 2L)),
        ];
        TagIdentity.HashOf(all[1]).Should().Be(TagIdentity.HashOf(all[0]), "otherwise, the test would prove nothing");
        TagIdentity.HashOf(all[3]).Should().Be(TagIdentity.HashOf(all[2]));
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");

        for (int round = 0; round < 5; round++)
        {
            foreach (KeyValuePair<string, object?>[] tags in all)
            {
                size.Record(1, tags);
            }
        }

        listening.Registry.Registrations.Should().HaveCount(all.Length).And.OnlyContain(one => one.Histogram.TotalCount == 5);
    }

    [Fact]
    public void Text_that_differs_in_any_character_has_another_hash()
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
    }

    [Fact]
    public void Text_that_is_equal_up_to_the_limit_has_the_same_hash()
    {
        string text = new('x', TagIdentity.MaxTextLength);

        TagIdentity.HashOf(Listening.Tags(("k", text + "yz"))).Should().Be(TagIdentity.HashOf(Listening.Tags(("k", text))));
    }

    [Fact]
    public void The_type_of_a_value_does_not_matter_when_the_limit_is_reached()
    {
        using Listening listening = new(options => options.MaxSeries = 1);
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        size.Record(1, new KeyValuePair<string, object?>("code", 200));
        size.Record(1, new KeyValuePair<string, object?>("code", 404));
        foreach (object value in (object[])[200L, "200", (short)200, 200.0, 200m])
        {
            size.Record(1, new KeyValuePair<string, object?>("code", value));
        }

        listening.CountOf("size{code=\"200\"}").Should().Be(6);
        listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(1);
    }

    [Fact]
    public void A_tag_without_text_is_not_a_label()
    {
        using Listening listening = new(options => options.MaxSeries = 2);
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        size.Record(1);
        size.Record(1, new("a", null), new("b", ""));
        size.Record(1, new("b", "x"), new("a", ""), new("c", new NoText()));
        size.Record(1, new("b", "x"), new("b", null));
        size.Record(1, new KeyValuePair<string, object?>("d", 1));
        size.Record(1, new("e", null), new("b", "x"));

        listening.CountOf("size").Should().Be(3);
        listening.CountOf("size{b=\"x\"}").Should().Be(2);
        listening.CountOf(Overflow).Should().Be(1);
    }

    [Fact]
    public void The_overflow_has_the_labels_of_the_instrument()
    {
        using Listening listening = new(options => options.MaxSeries = 1);
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size", null, null, tags: [new("i", 1.5), new("n", null)]);
        size.Record(1);
        size.Record(1, new KeyValuePair<string, object?>("a", 1));

        listening.Series.Should().BeEquivalentTo("size{i=\"1.5\"}", "size{i=\"1.5\",otel.metric.overflow=\"true\"}");
    }

    [Fact]
    public void Numbers_in_labels_are_the_same_in_every_culture()
    {
        CultureInfo before = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = ",", NegativeSign = "minus" } };
            using Listening listening = new();
            Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
            size.Record(1, new("a", 1.5), new("b", -2), new("c", 1.25m), new("d", (double[])[0.5]));

            listening.Only.ToString().Should().Be("size{a=\"1.5\",b=\"-2\",c=\"1.25\",d=\"[0.5]\"}");
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Fact]
    public void Orders_of_tags_take_a_limited_number_of_slots()
    {
        InstrumentSeries series = new(
            new Meter("Orders").CreateHistogram<int>("size"), new(1, HdrHistogramDescription.None), new(), new(), maxSeries: 2);
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
    }

    [Fact]
    public void Values_compared_by_their_text_have_only_the_slot_of_their_series()
    {
        InstrumentSeries series = new(
            new Meter("Foreign").CreateHistogram<int>("size"), new(1, HdrHistogramDescription.None), new(), new(), maxSeries: 2);
        for (int i = 0; i < 3; i++)
        {
            series.Record(1, Listening.Tags(("a", DayOfWeek.Monday), ("b", 1)));
        }

        series.SlotCount.Should().Be(1);
    }

    [Fact]
    public void Long_text_is_not_kept_alive()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        WeakReference text = Measure(size);
        GC.Collect();

        text.IsAlive.Should().BeFalse();
        listening.Total.Should().Be(2);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Measure(Histogram<int> size)
        {
            string text = new('x', 100_000);
            size.Record(1, new("b", text), new("a", 1));
            size.Record(1, new("b", text), new("a", 1));
            return new WeakReference(text);
        }
    }

    [Fact]
    public void Values_of_several_types_with_the_same_bits_are_distinguished()
    {
        object?[] values = [65, 65L, 65u, 65UL, (short)65, (ushort)65, (byte)65, (sbyte)65, 'A', "A", 65.0, 65f, true, false, null, 2, 3, 1, "", double.NaN, -0.0, 0.0];
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        foreach (object? value in values.Concat(values))
        {
            size.Record(1, new KeyValuePair<string, object?>("v", value));
        }

        listening.Series.Should().BeEquivalentTo(
            "size{v=\"65\"}", "size{v=\"A\"}", "size{v=\"true\"}", "size{v=\"false\"}", "size", "size{v=\"2\"}", "size{v=\"3\"}", "size{v=\"1\"}",
            "size{v=\"NaN\"}", "size{v=\"-0\"}", "size{v=\"0\"}");
        listening.CountOf("size{v=\"65\"}").Should().Be(2 * 10, "they have the same label");
        listening.CountOf("size{v=\"A\"}").Should().Be(2 * 2);
        listening.Total.Should().Be(2 * (ulong)values.Length);
    }

    [Fact]
    public void Any_tags_are_counted_in_the_series_of_their_text() => Seeded.Run(200, random =>
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
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
            size.Record(1, tags);
        }

        listening.Registry.Registrations.ToDictionary(one => one.ToString(), one => one.Histogram.TotalCount).Should().BeEquivalentTo(expected);

        object? Value() => random.Next(6) switch
        {
            0 => null,
            1 => random.Next(3),
            2 => (long)random.Next(3),
            3 => random.Next(2) == 0,
            4 => DayOfWeek.Monday + random.Next(2),
            _ => Text(12),
        };

        string Text(int most) => new([.. Enumerable.Range(0, random.Next(most + 1)).Select(_ => "ab"[random.Next(2)])]);
    });

    [Fact]
    public void Text_of_any_characters_and_length_is_distinguished_up_to_the_limit()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        string huge = new('x', 1 << 20);
        string cut = new('x', TagIdentity.MaxTextLength);
        for (int round = 0; round < 3; round++)
        {
            size.Record(1, new KeyValuePair<string, object?>("a", "\0"));
            size.Record(1, new KeyValuePair<string, object?>("a", "\0\0"));
            size.Record(1, new KeyValuePair<string, object?>("a", "\ud800"));
            size.Record(1, new KeyValuePair<string, object?>("a", huge));
            size.Record(1, new KeyValuePair<string, object?>("a", huge + "y")); // different text with the same truncated text
            size.Record(1, new KeyValuePair<string, object?>("a", cut));
            size.Record(1, new KeyValuePair<string, object?>(huge, 1));
            size.Record(1, new KeyValuePair<string, object?>(null!, 1));
            size.Record(1, new KeyValuePair<string, object?>("", 1));
        }

        listening.Series.Should().BeEquivalentTo(
            "size{a=\"\0\"}", "size{a=\"\0\0\"}", "size{a=\"\ud800\"}", $"size{{a=\"{cut}\"}}", $"size{{{cut}=\"1\"}}", "size{(no key)=\"1\"}");
        listening.CountOf($"size{{a=\"{cut}\"}}").Should().Be(9);
        listening.CountOf("size{(no key)=\"1\"}").Should().Be(6);
        listening.Total.Should().Be(27);
    }

    [Fact]
    public void Any_number_of_tags_is_recorded()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        foreach (int count in new[] { 15, 16, 17, 100 })
        {
            KeyValuePair<string, object?>[] tags = [.. Enumerable.Range(0, count).Select(i => new KeyValuePair<string, object?>($"key-{i}", i))];
            size.Record(1, tags);
            Array.Reverse(tags);
            size.Record(1, tags);
        }

        listening.Registry.Registrations.Should().HaveCount(4).And.OnlyContain(one => one.Histogram.TotalCount == 2);
    }

    [Fact]
    public void The_label_of_the_overflow_cannot_be_imitated()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");

        size.Record(1, new KeyValuePair<string, object?>("otel.metric.overflow", "true"));

        listening.Series.Should().Equal("size{exported_otel.metric.overflow=\"true\"}");
        listening.Histograms.OverflowSeriesMeasurementCount.Should().Be(0);
    }

    [Fact]
    public void Values_of_other_types_are_recorded_by_their_text()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        for (int round = 0; round < 3; round++)
        {
            size.Record(1, new KeyValuePair<string, object?>("a", DayOfWeek.Monday));
            size.Record(1, new KeyValuePair<string, object?>("a", new Guid(1, 2, 3, [4, 5, 6, 7, 8, 9, 10, 11])));
            size.Record(1, new KeyValuePair<string, object?>("a", 1.5m));
            size.Record(1, new KeyValuePair<string, object?>("a", (string[])["x", "y"]));
            size.Record(1, new KeyValuePair<string, object?>("a", (int[])[1, 2]));
            size.Record(1, new KeyValuePair<string, object?>("a", (string[])["", "x"]));
            size.Record(1, new KeyValuePair<string, object?>("a", (string[])["x"]));
            size.Record(1, new KeyValuePair<string, object?>("a", new NoText()));
            size.Record(1, new KeyValuePair<string, object?>("a", Enumerable.Repeat("long", 1_000_000).ToArray()));
        }

        listening.Registry.Registrations.Should().HaveCount(9).And.OnlyContain(one => one.Histogram.TotalCount == 3);
        listening.Series.Should().Contain([
            "size{a=\"[,x]\"}", "size{a=\"[x]\"}",
            "size{a=\"Monday\"}", "size{a=\"00000001-0002-0003-0405-060708090a0b\"}", "size{a=\"1.5\"}", "size{a=\"[x,y]\"}", "size{a=\"[1,2]\"}", "size"]);
        listening.Series.Should().OnlyContain(series => series.Length < 300);
    }

    [Fact]
    public void An_exception_of_a_value_does_not_reach_the_application()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");

        for (int i = 0; i < 3; i++)
        {
            size.Record(1, new("a", new Throwing()), new("b", 1));
        }

        listening.Series.Should().Equal("size{a=\"(ToString failed)\",b=\"1\"}");
        listening.Only.Histogram.TotalCount.Should().Be(3);
    }

    [Fact]
    public void A_value_whose_text_measures_itself_does_not_recurse_forever()
    {
        using Listening listening = new();
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");

        size.Record(1, new KeyValuePair<string, object?>("a", new Measuring(size)));

        listening.Series.Should().Equal("size{a=\"(nested)\"}", "size{a=\"text\"}");
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
