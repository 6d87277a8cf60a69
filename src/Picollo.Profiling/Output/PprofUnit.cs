namespace Picollo.Profiling;

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
