using Picollo.Profiling.Output;

namespace Picollo.Profiling;

/// <summary>The difference of two profiles, such as before and after a deployment or a change.</summary>
/// <remarks>
/// <para>Profiles have different durations, so the comparison uses shares of samples, not samples or times. A smaller share does not mean
/// that a function uses less time for its work, because the other functions may use more. Compare profiles of the same load.</para>
/// <para>Functions are equal if their name, module and kind are equal. Processes with the same name are compared as one group, because
/// their IDs differ.</para>
/// <para>Immutable and thread-safe.</para>
/// <example>
/// <code>
/// using FileStream file = File.OpenRead("before.pb.gz");
/// var difference = new CpuProfileDifference(CpuProfile.ReadPprof(file), profile);
/// Console.WriteLine(difference);
/// </code>
/// </example>
/// </remarks>
public sealed class CpuProfileDifference
{
    private const int DefaultLimit = 25;

    /// <summary>Creates the difference of two profiles.</summary>
    /// <param name="before">The profile before the change.</param>
    /// <param name="after">The profile after the change.</param>
    /// <exception cref="ArgumentNullException">A profile is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The profiles show different things, such as CPU time and allocated bytes: their
    /// <see cref="CpuProfile.SampleType"/> differs, or one has a time and the other another unit.</exception>
    public CpuProfileDifference(CpuProfile before, CpuProfile after)
    {
        ArgumentNullException.ThrowIfNull(before);
        ArgumentNullException.ThrowIfNull(after);
        if (before.SampleType != after.SampleType || DifferenceData.UnitOf(before.Data) != DifferenceData.UnitOf(after.Data))
        {
            throw new ArgumentException(
                $"The profiles cannot be compared, because they show {ProfileText.Type(before.Data)} and {ProfileText.Type(after.Data)}.",
                nameof(after));
        }

        (Before, After) = (before, after);
        Data = new DifferenceData(before.Data, after.Data);
    }

    /// <summary>The profile before the change.</summary>
    public CpuProfile Before { get; }

    /// <summary>The profile after the change.</summary>
    public CpuProfile After { get; }

    internal DifferenceData Data { get; }

    /// <summary>Returns all functions of both profiles, ordered by the size of the change of their own share, whether it increased or
    /// decreased. Computed on each call, in time proportional to the number of nodes.</summary>
    /// <returns>The functions.</returns>
    public IReadOnlyList<CpuProfileMethodDifference> GetMethods() => Data.GetMethods();

    /// <summary>Writes a summary of both profiles, a table of the functions with the largest changes of their own share, and the
    /// notes.</summary>
    /// <param name="output">The destination. It is not flushed.</param>
    /// <param name="limit">The maximum number of functions, at least 1.</param>
    /// <remarks>"Own" is the function itself, "total" includes its callees, both in percent of the samples of their profile. The change and
    /// its 95 % confidence interval are in percentage points, and <c>~</c> marks a change that may be random
    /// (<see cref="CpuProfileMethodDifference.MayBeRandom"/>). If the number of samples is unknown, there is no interval and no mark.
    /// The text does not depend on the culture, and is safe for a terminal.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="limit"/> is less than 1.</exception>
    public void WriteTable(TextWriter output, int limit = DefaultLimit)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        TextFormats.WriteTable(Data, output, limit);
    }

    /// <summary>Returns the text of <see cref="WriteTable"/> with 25 functions.</summary>
    /// <returns>Several lines, each of which ends with a line break.</returns>
    public override string ToString()
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        WriteTable(text);
        return text.ToString();
    }

    /// <summary>Writes a flame graph of both profiles as an SVG file: a box for each function on each call path. Its width is the mean of
    /// its two shares, so that functions of only one profile are visible too.</summary>
    /// <param name="output">The writer, whose text is to be stored as UTF-8. Lines end in LF.</param>
    /// <remarks>
    /// <code>
    /// using StreamWriter file = File.CreateText("difference.svg");
    /// difference.WriteSvg(file);
    /// </code>
    /// <para>Vermilion marks a larger share and blue marks a smaller one; stronger colors mark larger changes, and gray marks a change
    /// that may be random. If the number of samples is unknown, gray marks an equal share. The tooltip of a box has the whole name
    /// and the numbers. The format is that of <see cref="CpuProfile.WriteSvg"/>.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteSvg(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Write(FlameGraph.Draw(Data));
    }

    /// <summary>Writes an HTML page: the flame graph of <see cref="WriteSvg"/> with zoom and search, and tables of functions, callees and
    /// callers.</summary>
    /// <param name="output">The writer, whose text is to be stored as UTF-8. Lines end in LF.</param>
    /// <remarks>See <see cref="CpuProfile.WriteHtml"/>.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteHtml(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        ProfilePage.Write(output, ProfileText.Title(Data), [new DifferencePart("", Data)]);
    }
}
