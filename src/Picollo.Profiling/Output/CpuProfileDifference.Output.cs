using Picollo.Profiling.Output;

namespace Picollo.Profiling;

/// <content>Text and graphical output.</content>
public sealed partial class CpuProfileDifference
{
    private const int DefaultLimit = 25;

    /// <summary>The common title of both profiles, or both titles.</summary>
    internal string Title =>
        Before.Title == After.Title ? ProfileText.Title(After) : $"{ProfileText.Title(Before)} → {ProfileText.Title(After)}";

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
        WriteSummary(output, "before", Before);
        WriteSummary(output, "after", After);
        IReadOnlyList<CpuProfileMethodDifference> methods = GetMethods();
        if (methods.Count > 0)
        {
            output.WriteLine();
            WriteMethods(output, methods, limit);
        }

        foreach (string note in Notes)
        {
            output.WriteLine();
            output.WriteLine(note);
        }
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
        output.Write(FlameGraph.Draw(this));
    }

    /// <summary>Writes an HTML page: the flame graph of <see cref="WriteSvg"/> with zoom and search, and tables of functions, callees and
    /// callers.</summary>
    /// <param name="output">The writer, whose text is to be stored as UTF-8. Lines end in LF.</param>
    /// <remarks>See <see cref="CpuProfile.WriteHtml"/>.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteHtml(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        ProfilePage.Write(output, Title, [new DifferencePart("", this)]);
    }

    private static void WriteSummary(TextWriter output, string name, CpuProfile profile)
    {
        output.WriteLine($"{name + ":",-7} {ProfileText.Title(profile)}");
        output.WriteLine($"{"",7} {ProfileText.Total(profile)}");
        if (profile.SampleCount == 0)
        {
            output.WriteLine($"{"",7} No samples. {ProfileText.NoSamplesReason(profile)}");
        }
    }

    private void WriteMethods(TextWriter output, IReadOnlyList<CpuProfileMethodDifference> methods, int limit)
    {
        output.WriteLine("     own                   points                 total");
        output.WriteLine("before   after   change      95% interval     before   after  function");
        foreach (CpuProfileMethodDifference method in methods.Take(limit))
        {
            string interval = HasIntervals
                ? $"{ProfileText.Points(method.OwnChangeLowerPoints),7} to {ProfileText.Points(method.OwnChangeUpperPoints),7}"
                : $"{"unknown",-18}";
            output.WriteLine(
                $"{Percent(method.OwnPercentBefore)}  {Percent(method.OwnPercentAfter)}  {ProfileText.Points(method.OwnChangePoints),7} "
                + $"{(HasIntervals && method.MayBeRandom ? '~' : ' ')} {interval}  "
                + $"{Percent(method.PercentBefore)}  {Percent(method.PercentAfter)}  {method.Frame.Name}");
        }

        if (methods.Count > limit)
        {
            output.WriteLine(FormattableString.Invariant($"{methods.Count - limit:N0} other functions changed less."));
        }

        if (HasIntervals && methods.Take(limit).Any(method => method.MayBeRandom))
        {
            output.WriteLine();
            output.WriteLine("~ The change may be random: its 95% confidence interval contains 0.");
        }
    }

    private static string Percent(double percent) => FormattableString.Invariant($"{percent,5:0.0}%");
}
