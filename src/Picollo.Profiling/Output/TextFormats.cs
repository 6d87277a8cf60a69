using Picollo.Export.Text;

namespace Picollo.Profiling.Output;

/// <summary>Writes profiles and differences as text.</summary>
internal static class TextFormats
{
    private const int ValueWidth = 11;
    private const int PercentWidth = 7;

    public static void WriteTable(ProfileData profile, TextWriter output, int limit)
    {
        output.WriteLine(ProfileText.Title(profile));
        string unseen = FormattableString.Invariant(
            $"lost {profile.LostSampleCount:N0}; unnamed {ProfileText.Share(profile.UnnamedValue, profile.Value)}");
        output.WriteLine($"{ProfileText.Total(profile)}; {unseen}");
        output.WriteLine();
        if (profile.Value == 0)
        {
            output.WriteLine($"No samples. {ProfileText.NoSamplesReason(profile)}");
        }
        else
        {
            WriteMethods(profile, output, limit);
        }

        foreach (string note in profile.Notes)
        {
            output.WriteLine();
            output.WriteLine(note);
        }
    }

    public static void WriteTable(DifferenceData difference, TextWriter output, int limit)
    {
        WriteSummary(output, "before", difference.Before);
        WriteSummary(output, "after", difference.After);
        IReadOnlyList<CpuProfileMethodDifference> methods = difference.GetMethods();
        if (methods.Count > 0)
        {
            output.WriteLine();
            WriteMethods(difference, output, methods, limit);
        }

        foreach (string note in difference.Notes)
        {
            output.WriteLine();
            output.WriteLine(note);
        }
    }

    public static void WriteFolded(ProfileData profile, TextWriter output)
    {
        var counts = new SortedDictionary<string, long>(StringComparer.Ordinal);
        foreach ((IReadOnlyList<CpuProfileFrame> stack, long count) in profile.GetStacks())
        {
            string folded = string.Join(';', stack.Select(frame => frame.Name.Replace(';', ':')));
            counts[folded] = counts.GetValueOrDefault(folded) + count;
        }

        foreach ((string folded, long count) in counts)
        {
            output.Write(string.Create(CultureInfo.InvariantCulture, $"{folded} {count}\n"));
        }
    }

    private static void WriteMethods(ProfileData profile, TextWriter output, int limit)
    {
        IReadOnlyList<CpuProfileMethod> methods = profile.GetMethods();
        string head = profile.UnitsPerSecond > 0 ? "time" : FittedText.Cut(profile.SampleUnit, ValueWidth);
        WriteRow(output, "own", head, "total", head, "function");
        foreach (CpuProfileMethod method in methods.Take(limit))
        {
            (long own, long total) = (method.OwnValue, method.Value);
            WriteRow(output, Share(own), Value(profile, own), Share(total), Value(profile, total), method.Frame.Name);
        }

        if (methods.Count > limit)
        {
            long own = methods.Skip(limit).Sum(method => method.OwnValue);
            string others = FormattableString.Invariant($"{methods.Count - limit:N0} other functions");
            WriteRow(output, Share(own), Value(profile, own), "", "", others);
        }

        string Share(long samples) => ProfileText.Share(samples, profile.Value);
    }

    private static void WriteRow(TextWriter output, string own, string ownTime, string total, string totalTime, string name) =>
        output.WriteLine($"{own,PercentWidth}  {ownTime,ValueWidth}  {total,PercentWidth}  {totalTime,ValueWidth}  {name}");

    /// <summary>Formats a number of samples as a time, or in the unit of the profile, which the heading of the column contains.</summary>
    private static string Value(ProfileData profile, long samples) =>
        profile.UnitsPerSecond > 0 ? ProfileText.Seconds(profile.TimeOf(samples)) : Quantity.Count(samples);

    private static void WriteSummary(TextWriter output, string name, ProfileData profile)
    {
        output.WriteLine($"{name + ":",-7} {ProfileText.Title(profile)}");
        output.WriteLine($"{"",7} {ProfileText.Total(profile)}");
        if (profile.Value == 0)
        {
            output.WriteLine($"{"",7} No samples. {ProfileText.NoSamplesReason(profile)}");
        }
    }

    private static void WriteMethods(
        DifferenceData difference, TextWriter output, IReadOnlyList<CpuProfileMethodDifference> methods, int limit)
    {
        output.WriteLine("      own                    points                   total");
        output.WriteLine(" before    after   change      95 % interval     before    after  function");
        foreach (CpuProfileMethodDifference method in methods.Take(limit))
        {
            string interval = difference.HasIntervals
                ? $"{ProfileText.Points(method.Change.LowerPoints),7} to {ProfileText.Points(method.Change.UpperPoints),7}"
                : $"{"unknown",-18}";
            output.WriteLine(
                $"{Share(method.OwnShareBefore)}  {Share(method.OwnShareAfter)}  {ProfileText.Points(method.Change.Points),7} "
                + $"{(difference.HasIntervals && method.MayBeRandom ? '~' : ' ')} {interval}  "
                + $"{Share(method.ShareBefore)}  {Share(method.ShareAfter)}  {method.Frame.Name}");
        }

        if (methods.Count > limit)
        {
            output.WriteLine(FormattableString.Invariant($"{methods.Count - limit:N0} other functions changed less."));
        }

        if (difference.HasIntervals && methods.Take(limit).Any(method => method.MayBeRandom))
        {
            output.WriteLine();
            output.WriteLine("~ The change may be random: its 95 % confidence interval contains 0.");
        }
    }

    private static string Share(double share) => Quantity.Percent(share).PadLeft(PercentWidth);
}
