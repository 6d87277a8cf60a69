using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

internal static class HistFiles
{
    /// <summary>The smallest converted value that may be rounded to a whole number, which a log contains: rounding must not lose a
    /// significant digit.</summary>
    private const double MinConvertedValue = 10_000;

    private const double LogLimit = 9_223_372_036_854_775_808d; // 2⁶³, the limit of the format

    public static void WriteSvg(string path, HistResult result)
    {
        string document = HdrHistogramPlot.CreatePercentiles(SeriesOf(result), UnitOf(result), result.Title).ToSvgDocument();
        OutputFile.WriteText(path, file => file.Write(document));
    }

    public static void WriteHtml(string path, HistResult result) =>
        OutputFile.WriteText(path, file => HdrHistogramPlot.WriteReport(file, SeriesOf(result), UnitOf(result), result.Title));

    public static void WriteLog(string path, HistResult result)
    {
        Distribution input = result.Inputs[0];
        HdrHistogram histogram = result.Ratio == 1 ? input.Histogram : Convert(input.Histogram, result.Ratio, result.Scale);
        if (histogram.GetPercentile(100).GetValue(EquivalentValueSelection.UpperBound) >= LogLimit)
        {
            throw new CommandException($"{path}: a log can only contain numbers below 2^63; use a smaller --scale");
        }

        if (histogram.TotalCount >= LogLimit)
        {
            throw new CommandException($"{path}: a log can only contain counts below 2^63");
        }

        OutputFile.Write(path, file =>
        {
            using HdrHistogramLogWriter log = new(file, maxValueUnitRatio: 1, leaveOpen: true);
            log.WriteHeader(input.StartTime, "[Merged by picollo hist]");
            log.WriteInterval(histogram, input.StartTime, input.EndTime);
        });
    }

    private static PlainHdrHistogram<uint> Convert(HdrHistogram histogram, double ratio, double scale)
    {
        const double Precise = 0.00001; // the relative error that the second rounding to a bucket adds
        PlainHdrHistogram<uint> converted = HdrHistogram.Factory.WithRelativeError(Precise).Create();
        foreach (Bucket bucket in histogram.BucketsWithValues)
        {
            double value = RoundNumber.In(bucket, ratio).Value;
            if (value < MinConvertedValue && value != Math.Round(value))
            {
                double suggestedScale = Math.Pow(10, Math.Ceiling(Math.Log10(scale * MinConvertedValue / value)));
                throw new CommandException(
                    Invariant($"--hlog: a log can only contain whole numbers, and rounding {value:G4} would lose digits; ")
                    + Invariant($"use --scale {suggestedScale:0}"));
            }

            converted.Record((ulong)Math.Min(Math.Round(value), LogLimit), bucket.Count);
        }

        return converted;
    }

    private static KeyValuePair<string, ReadOnlyHdrHistogram>[] SeriesOf(HistResult result) =>
        [.. result.Inputs.Select(input => new KeyValuePair<string, ReadOnlyHdrHistogram>(input.Name, input.Histogram))];

    private static HdrHistogramUnit UnitOf(HistResult result) => new() { Name = result.Unit, Ratio = result.Ratio };
}
