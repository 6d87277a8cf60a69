using System.Globalization;
using System.Text;
using Picollo.Cli.Top;

namespace Picollo.Cli.Tests.Top;

/// <summary>Numbers fit the width of their column and keep their value within the rounding.</summary>
public class TopNumbersTests
{
    private const string MemoryUnits = "kmgtpe";

    [Fact]
    public void Numbers_are_formatted_as_in_top_and_lose_the_decimals_before_other_digits()
    {
        foreach ((long? bytes, int width, string text) in ((long?, int, string)[])
        [
            (0, 6, "     0"), (1023, 6, "     0"), (999_999L << 10, 6, "999999"), (1_000_000L << 10, 6, "976.6m"),
            ((1_000_000L << 10) - 1, 6, "999999"), (1L << 30, 5, " 1.0g"),
            (1L << 30, 7, "1048576"), (274L << 30, 7, " 274.0g"), (150L << 20, 5, " 150m"), (long.MaxValue, 7, "   8.0e"),
            (null, 5, "    -"),
        ])
        {
            Text(to => TopNumbers.AppendMemory(to, bytes, width)).Should().Be(text);
        }

        ((double?[])[0, 1, 9.9994, 9.9996, 12.34, 4096, null]).Select(share => Text(to => TopNumbers.AppendPercent(to, share, 5)))
            .Should().Equal("  0.0", "100.0", "999.9", " 1000", " 1234", " 410k", "    -");
        ((double[])[0, 59.999, 60 * 999.0, 60 * 1000.0, 60 * 1_000_000.0, 3600 * 1_000_000.0, 3600 * 100_000_000.0])
            .Select(seconds => Text(to => TopNumbers.AppendTime(to, TimeSpan.FromSeconds(seconds), 9)))
            .Should().Equal("  0:00.00", "  0:59.99", "999:00.00", "  1000:00", " 16666,40", " 1000000h", " 4166666d");
    }

    [Fact]
    public void Any_number_of_bytes_fits_the_width_and_can_be_parsed() => Seeded.Run(3_000, random =>
    {
        long bytes = random.NextInt64() >> random.Next(63);
        int width = random.Next(5, 8);

        string text = Text(to => TopNumbers.AppendMemory(to, bytes, width));

        text.Should().HaveLength(width);
        int unit = Math.Max(MemoryUnits.IndexOf(text[^1]), 0);
        double scale = Math.Pow(1024, unit + 1);
        double step = unit == 0 ? 1 : text.Contains('.') ? 0.0501 : 0.501; // kibibytes are truncated, other units are rounded
        double read = double.Parse(text.TrimEnd([.. MemoryUnits]), CultureInfo.InvariantCulture);
        Math.Abs(read - (bytes / scale)).Should().BeLessThan(step, "{0} are {1}", bytes, text);
    });

    [Fact]
    public void Any_share_fits_the_width_and_can_be_parsed() => Seeded.Run(3_000, random =>
    {
        double share = random.NextDouble() * Math.Pow(10, random.Next(-5, 8));
        int width = random.Next(4, 7);

        string text = Text(to => TopNumbers.AppendPercent(to, share, width));

        text.Should().HaveLength(width);
        double scale = text[^1] switch { 'k' => 1e3, 'M' => 1e6, 'G' => 1e9, _ => 1 };
        double read = double.Parse(text.TrimEnd('k', 'M', 'G'), CultureInfo.InvariantCulture) * scale;
        Math.Abs(read - (share * 100)).Should().BeLessThan(scale * (text.Contains('.') ? 0.0501 : 0.501), "{0} is {1}", share, text);
    });

    [Fact]
    public void Any_time_and_any_count_fit_the_width() => Seeded.Run(3_000, random =>
    {
        TimeSpan time = new(random.NextInt64() >> random.Next(63));
        int width = random.Next(8, 10);
        long count = random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(63);

        string text = Text(to => TopNumbers.AppendCount(to, count, 3));

        Text(to => TopNumbers.AppendTime(to, time, width)).Should().HaveLength(width);
        text.Should().HaveLength(3);
        text.Trim().Should().Be(count is >= -99 and <= 999 ? count.ToString(CultureInfo.InvariantCulture) : "?");
    });

    // After other text, as in a line.
    private static string Text(Action<StringBuilder> append)
    {
        StringBuilder to = new("| ");
        append(to);
        return to.ToString()[2..];
    }
}
