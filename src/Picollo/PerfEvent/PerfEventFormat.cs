using System.Globalization;

namespace Picollo.PerfEvent;

/// <summary>Where a field's bits go, as a PMU's format folder writes it: <c>config:0-7,32-35</c>, lowest bits first.</summary>
internal sealed class PerfEventFormat
{
    private readonly string _target;
    private readonly List<(int Low, int High)> _ranges;

    private PerfEventFormat(string target, List<(int Low, int High)> ranges)
    {
        _target = target;
        _ranges = ranges;
    }

    /// <summary>Null where the text is of another form.</summary>
    public static PerfEventFormat? Parse(string text)
    {
        string[] parts = text.Trim().Split(':');
        if (parts is not ["config" or "config1" or "config2", var bits])
        {
            return null;
        }

        var ranges = new List<(int, int)>();
        foreach (string range in bits.Split(','))
        {
            string[] ends = range.Split('-');
            if (ends.Length > 2 || !TryParseBit(ends[0], out int low) || !TryParseBit(ends[^1], out int high) || high < low)
            {
                return null;
            }

            ranges.Add((low, high));
        }

        return new PerfEventFormat(parts[0], ranges);
    }

    /// <summary>Puts a value there, in place of what was there; false where it has more bits than the field.</summary>
    public bool TrySet(ref PerfEventDefinition definition, ulong value)
    {
        ulong config = _target switch
        {
            "config" => definition.Config,
            "config1" => definition.Config1,
            _ => definition.Config2,
        };

        foreach ((int low, int high) in _ranges)
        {
            int width = high - low + 1;
            ulong mask = width == 64 ? ulong.MaxValue : (1UL << width) - 1;
            config = (config & ~(mask << low)) | ((value & mask) << low);
            value = width == 64 ? 0 : value >> width;
        }

        definition = _target switch
        {
            "config" => definition with { Config = config },
            "config1" => definition with { Config1 = config },
            _ => definition with { Config2 = config },
        };
        return value == 0;
    }

    private static bool TryParseBit(string text, out int bit) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out bit) && bit < 64;
}
