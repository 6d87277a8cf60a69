using System.Text.RegularExpressions;
using System.Xml.Linq;
using Picollo.Export;
using Picollo.Metrics;
using Picollo.Samples.Tokenizer;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Creates and checks the plots in docs/. They show the two tokenizers of samples/TokenizerDemo on the SDK's documentation.</summary>
[Trait("Category", "Slow")]
public sealed class PlotPictures
{
    private const int Passes = 11;

    [Fact]
    public void The_plots_contain_the_current_texts()
    {
        Implementation[] implementations = [new("string.Split", () => new SplitTokenizer()), new("spans", () => new SpanTokenizer())];
        string[] lines = Picture.MustReplace && ReferencePacks.Find(ReferencePacks.CandidateRoots()) is { } found
            ? Corpus.Load(found.Folder, found.Files).Lines
            : File.ReadAllLines(Path.Combine(Repository.Root, "CHANGELOG.md"));
        foreach (Implementation implementation in implementations)
        {
            implementation.WarmUp(lines, threads: 2);
        }

        for (int pass = 0; pass < (Picture.MustReplace ? Passes : 1); pass++)
        {
            foreach (Implementation implementation in implementations)
            {
                implementation.RunTimed(lines, threads: 2);
            }
        }

        KeyValuePair<string, ReadOnlyHdrHistogram>[] series = [.. implementations.Select(each => new KeyValuePair<string, ReadOnlyHdrHistogram>(each.Name, each.LineNanoseconds))];
        HdrHistogramUnit unit = new() { Name = "µs", Ratio = 1000 };
        Compare("percentiles.svg", HdrHistogramPlot.CreatePercentiles(series, unit, "Time to tokenize a line"), "Time to tokenize a line", "string.Split", "spans");
        HdrHistogramPlot difference = HdrHistogramPlot.CreateDifference(series[0], series[1], unit, "Change from string.Split to spans");
        Compare("difference.svg", difference, "Change from string.Split to spans");
    }

    /// <summary>Compares the texts of the stored picture with those of the current plot. Numbers, units of time, and the word for a logarithmic axis
    /// can differ.</summary>
    private static void Compare(string name, HdrHistogramPlot plot, params string[] texts)
    {
        string taken = plot.ToSvgDocument();
        Texts(Picture.Show(name, taken)).Should().Contain(texts).And.Equal(Texts(XElement.Parse(taken)));
    }

    private static IEnumerable<string> Texts(XElement plot) => plot.Descendants().Where(one => one.Name.LocalName == "text").Select(one => one.Value)
        .Where(text => !text.Any(char.IsAsciiDigit))
        .Select(text => Regex.Replace(text.Split(", logarithmic")[0], "(?<=^|, )(s|ms|µs|ns)$", "time"));
}
