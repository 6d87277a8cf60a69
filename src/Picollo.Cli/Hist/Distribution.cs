using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>The numbers of inputs, counted in a unit of 2⁻ᵖˡᵃᶜᵉˢ of the inputs' unit.</summary>
/// <param name="Name">The names of the inputs, fit for a terminal.</param>
/// <param name="Places">0 for whole numbers.</param>
/// <param name="StartTime">The start of the measurement if the inputs contain it, else of reading.</param>
/// <param name="EndTime">The end of the measurement or of reading.</param>
internal sealed record Distribution(string Name, HdrHistogram Histogram, int Places, DateTimeOffset StartTime, DateTimeOffset EndTime)
{
    /// <summary>Two distributions in the same unit: the finer one, unless a number does not fit it.</summary>
    public static (Distribution Before, Distribution After) InOneUnit(Distribution before, Distribution after)
    {
        int places = Math.Min(Math.Max(before.Places, after.Places), Math.Min(before.MostPlaces, after.MostPlaces));
        return (before.WithPlaces(places), after.WithPlaces(places));
    }

    private int MostPlaces => Places + NumberHistogram.RoomOf(Histogram);

    /// <summary>What recorded values are divided by when they are shown.</summary>
    /// <param name="scale">What the input's numbers are multiplied by.</param>
    public double RatioFor(double scale) => Math.ScaleB(1, Places) / scale;

    private Distribution WithPlaces(int places) => places == Places
        ? this
        : this with { Histogram = NumberHistogram.Rescale(Histogram, places - Places), Places = places };
}
