using System.Xml.Linq;
using Picollo.Export.Plots;
using Picollo.Samples.Tokenizer;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The plots in docs/: the lines of the SDK's documentation, counted by the two tokenisers of samples/TokenizerDemo.</summary>
[Trait("Category", "Slow")]
public sealed class PlotPictures
{
    private const int Passes = 11;

    [Fact]
    public void The_plots_have_the_present_texts()
    {
        Implementation[] implementations = [new("string.Split", () => new SplitTokenizer()), new("spans", () => new SpanTokenizer())];
        string[] lines = Picture.IsAnew && ReferencePacks.Find(ReferencePacks.CandidateRoots()) is { } found
            ? Corpus.Load(found.Folder, found.Files).Lines
            : File.ReadAllLines(Path.Combine(Repository.Root, "CHANGELOG.md"));
        foreach (Implementation implementation in implementations)
        {
            implementation.WarmUp(lines, threads: 2);
        }

        for (int pass = 0; pass < (Picture.IsAnew ? Passes : 1); pass++)
        {
            foreach (Implementation implementation in implementations)
            {
                implementation.RunTimed(lines, threads: 2);
            }
        }

        HdrHistogramSeries[] series = [.. implementations.Select(each => new HdrHistogramSeries(each.Name, each.LineNanoseconds))];
        HdrHistogramPlotOptions options = new() { Title = "Time to tokenise a line", Unit = new() { Name = "µs", Ratio = 1000 } };
        HasTexts(Picture.Show("percentiles.svg", HdrHistogramPlot.CreatePercentiles(series, options).ToSvgDocument()), "Time to tokenise a line", "string.Split", "spans");
        options.Title = "Change from string.Split to spans";
        HasTexts(Picture.Show("difference.svg", HdrHistogramPlot.CreateDifference(series[0], series[1], options).ToSvgDocument()), "Change from string.Split to spans");
    }

    private static void HasTexts(XElement plot, params string[] texts) =>
        plot.Descendants().Where(one => one.Name.LocalName == "text").Select(one => one.Value).Should().Contain(texts);
}
