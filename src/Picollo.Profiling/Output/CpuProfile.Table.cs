using Picollo.Export.Plots;
using Picollo.Profiling.Output;

namespace Picollo.Profiling;

/// <content>Text output.</content>
public sealed partial class CpuProfile
{
    private const int DefaultLimit = 25;
    private const int ValueWidth = 11;

    /// <summary>Writes the title, a summary, a table of the functions with the most own samples, and the notes.</summary>
    /// <param name="output">The destination. It is not flushed.</param>
    /// <param name="limit">The maximum number of functions, at least 1.</param>
    /// <remarks>"Own" is the function itself, "total" includes its callees. Times are those that the samples represent (<c>1 /
    /// <see cref="Frequency"/></c> seconds each); the CPU time of the summary is that of the kernel. If the profile does not show a time,
    /// the table has the numbers in <see cref="SampleUnit"/> instead. The text does not depend on the culture, and is safe for a
    /// terminal.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="limit"/> is less than 1.</exception>
    public void WriteTable(TextWriter output, int limit = DefaultLimit)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        output.WriteLine(ProfileText.Title(this));
        string unseen = FormattableString.Invariant($"lost {LostSampleCount:N0}; unnamed {Share(UnnamedSampleCount)}");
        output.WriteLine($"{ProfileText.Total(this)}; {unseen}");
        output.WriteLine();
        if (SampleCount == 0)
        {
            output.WriteLine($"No samples. {ProfileText.NoSamplesReason(this)}");
        }
        else
        {
            WriteMethods(output, limit);
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

    private void WriteMethods(TextWriter output, int limit)
    {
        IReadOnlyList<CpuProfileMethod> methods = GetMethods();
        string head = UnitsPerSecond > 0 ? "time" : PlotText.Cut(SampleUnit, ValueWidth);
        WriteRow(output, "own", head, "total", head, "function");
        foreach (CpuProfileMethod method in methods.Take(limit))
        {
            (long own, long total) = (method.OwnSampleCount, method.SampleCount);
            WriteRow(output, Share(own), Value(own), Share(total), Value(total), method.Frame.Name);
        }

        if (methods.Count > limit)
        {
            long own = methods.Skip(limit).Sum(method => method.OwnSampleCount);
            string others = FormattableString.Invariant($"{methods.Count - limit:N0} other functions");
            WriteRow(output, Share(own), Value(own), "", "", others);
        }
    }

    private static void WriteRow(TextWriter output, string own, string ownTime, string total, string totalTime, string name) =>
        output.WriteLine($"{own,6}  {ownTime,ValueWidth}  {total,6}  {totalTime,ValueWidth}  {name}");

    /// <summary>Formats a number of samples as a time, or in the unit of the profile, which the heading of the column contains.</summary>
    private string Value(long samples) =>
        UnitsPerSecond > 0 ? ProfileText.Seconds(TimeOf(samples)) : FormattableString.Invariant($"{samples:N0}");

    private string Share(long samples) => FormattableString.Invariant($"{(SampleCount > 0 ? 100.0 * samples / SampleCount : 0):0.0}%");
}
