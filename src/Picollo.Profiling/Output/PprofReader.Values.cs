using Picollo.Export;
using Picollo.Export.Text;

namespace Picollo.Profiling;

/// <content>The meaning of the values: their type, unit and number of samples.</content>
internal sealed partial class PprofReader
{
    private const int MaxTypeLength = 60;

    /// <summary>Other periods are not those of a sampling profiler: tools that have only times write 0 or 1.</summary>
    private const double MinPeriodNanoseconds = 1_000;

    private const double MaxPeriodNanoseconds = 3.6e12;

    /// <summary>Periods and times are rounded to whole units, such as microseconds.</summary>
    private const double Tolerance = 1e-4;

    /// <summary>Reads the values of the sample type to show: as samples if each of them represents the same time, and otherwise as sums in
    /// the unit of the type. Times of less than a period are therefore not rounded.</summary>
    private PprofValues ReadValues(string? requested, out CpuProfileNode root)
    {
        int shown = IndexOf(requested);
        (string type, string unit) = (TextOf(_sampleTypes[shown].Type), TextOf(_sampleTypes[shown].Unit));
        bool isSamples = PprofUnit.IsSamples(type, unit);
        long nanoseconds = PprofUnit.NanosecondsOf(unit);
        int counts = isSamples || _isFromPicollo ? -1
            : _sampleTypes.FindIndex(sampleType => PprofUnit.IsCountOf(TextOf(sampleType.Type), TextOf(sampleType.Unit), type));
        Stacks stacks = ReadStacks(shown, Math.Max(nanoseconds, 1), counts);
        PprofValues values = isSamples ? OfSamples(type, stacks) : nanoseconds > 0 ? OfTimes(type, stacks)
            : new(NameOf(type), unit.Length > 0 ? NameOf(unit) : ProfileData.CountUnit, 0, stacks.Size);
        root = Name(stacks);
        return _isFromPicollo && stacks.Total > 0 ? values with { Size = _size } : values;
    }

    /// <summary>Returns the index of the sample type to show: the requested one, the default, or the last, as <c>go tool pprof</c>
    /// does.</summary>
    private int IndexOf(string? requested)
    {
        if (requested is not null && _sampleTypes.FindIndex(sampleType => TextOf(sampleType.Type) == requested) is var index)
        {
            string all = string.Join(", ", _sampleTypes.Take(MaxNotes).Select(sampleType => NameOf(TextOf(sampleType.Type))));
            return index >= 0 ? index
                : throw new InvalidDataException($"The profile has no sample type '{requested}'. Its types are: {all}.");
        }

        if (_isFromPicollo)
        {
            return Math.Max(_sampleTypes.FindIndex(sampleType => PprofUnit.IsSamples(TextOf(sampleType.Type), TextOf(sampleType.Unit))), 0);
        }

        string name = TextOf(_defaultType);
        index = name.Length == 0 ? -1 : _sampleTypes.FindIndex(sampleType => TextOf(sampleType.Type) == name);
        return index >= 0 ? index : _sampleTypes.Count - 1;
    }

    private PprofValues OfSamples(string type, Stacks stacks)
    {
        string sampled = TextOf(_periodType.Type);
        string name = !PprofUnit.IsSamples(type) ? type : sampled.Length > 0 ? sampled : ProfileData.SamplesUnit;
        double period = PeriodNanoseconds();
        int frequency = FrequencyOf(period);
        if (period == 0 || frequency > 0)
        {
            return new(NameOf(name), ProfileData.SamplesUnit, frequency, null);
        }

        SampleSize size = new(stacks.Total, stacks.Total);
        stacks.Scale(period);
        return new(NameOf(name), ProfileData.TimeUnit, 0, size);
    }

    private PprofValues OfTimes(string type, Stacks stacks)
    {
        double period = PeriodNanoseconds();
        int frequency = FrequencyOf(period);
        if (period == 0 || stacks.CountPeriods(period, Tolerance) is not { } samples)
        {
            return new(NameOf(type), ProfileData.TimeUnit, 0, stacks.Size);
        }

        if (frequency == 0)
        {
            long all = samples.Sum();
            return new(NameOf(type), ProfileData.TimeUnit, 0, new(all, all));
        }

        stacks.Replace(samples);
        return new(NameOf(type), ProfileData.SamplesUnit, frequency, null);
    }

    /// <summary>Returns the sampling period; 0 if it is unknown.</summary>
    private double PeriodNanoseconds()
    {
        double period = (double)Signed(_period) * PprofUnit.NanosecondsOf(TextOf(_periodType.Unit));
        return Signed(_period) > 1 && period is >= MinPeriodNanoseconds and <= MaxPeriodNanoseconds ? period : 0;
    }

    /// <summary>Returns the number of periods per second; 0 if it is not a whole number.</summary>
    private static int FrequencyOf(double period)
    {
        double frequency = period > 0 ? Math.Round(ProfileData.NanosecondsPerSecond / period) : 0;
        return frequency > 0 && Math.Abs((frequency * period / ProfileData.NanosecondsPerSecond) - 1) <= Tolerance ? (int)frequency : 0;
    }

    private static string NameOf(string type) =>
        type.Length == 0 ? "unnamed" : FittedText.Shorten(CleanText.From(type), MaxTypeLength);

    /// <summary>The meaning of the numbers in the tree.</summary>
    private readonly record struct PprofValues(string Type, string Unit, int Frequency, SampleSize? Size);
}

/// <summary>The units of the sample types in pprof files.</summary>
internal static class PprofUnit
{
    /// <summary>Returns the number of nanoseconds of a unit of time; 0 for another unit.</summary>
    /// <param name="unit">The unit in the spellings of <c>go tool pprof</c>, singular, plural or abbreviated, in any case.</param>
    public static long NanosecondsOf(string unit)
    {
        string name = unit.ToLowerInvariant();
        return (name.Length > 2 && name[^1] == 's' ? name[..^1] : name) switch
        {
            "ns" or "nanosecond" => 1,
            "us" or "\u00b5s" or "\u03bcs" or "microsecond" => 1_000, // with the micro sign or the Greek letter
            "ms" or "millisecond" => 1_000_000,
            "s" or "sec" or "second" => 1_000_000_000,
            "min" or "minute" => 60_000_000_000,
            "hr" or "hour" => 3_600_000_000_000,
            _ => 0,
        };
    }

    /// <summary>Returns whether the values of a sample type are numbers of samples.</summary>
    public static bool IsSamples(string type, string unit) =>
        unit is "samples" or "sample" || (IsSamples(type) && unit is "count" or "");

    /// <summary>Returns whether a sample type has this name in general, such as <c>samples</c> of Go's profiles.</summary>
    public static bool IsSamples(string type) => type is "samples" or "sample";

    /// <summary>Returns whether one sample type counts the samples of another: <c>samples</c>, or <c>cpu-samples</c> of
    /// <c>cpu-time</c>.</summary>
    public static bool IsCountOf(string type, string unit, string other)
    {
        int dash = other.AsSpan().IndexOfAny('-', '_');
        string prefix = dash < 0 ? other : other[..dash];
        return IsSamples(type, unit) || (unit == "count" && (type == $"{prefix}-samples" || type == $"{prefix}_samples"));
    }
}
