using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>The merged numbers of one or more inputs, in multiples of 2⁻ᵖˡᵃᶜᵉˢ of the inputs' unit.</summary>
/// <param name="Name">The names of the inputs, without control characters.</param>
/// <param name="Places">The number of binary places; 0 for whole numbers.</param>
/// <param name="StartTime">The start of the measurement if the inputs contain it; otherwise, the time at which reading started.</param>
/// <param name="EndTime">The end of the measurement if the inputs contain it; otherwise, the time at which reading ended.</param>
internal sealed record Distribution(string Name, HdrHistogram Histogram, int Places, DateTimeOffset StartTime, DateTimeOffset EndTime)
{
    /// <summary>Converts two distributions to a common unit: the finer of the two, or a coarser one if a number would not fit.</summary>
    public static (Distribution Before, Distribution After) ToCommonUnit(Distribution before, Distribution after)
    {
        int places = Math.Min(Math.Max(before.Places, after.Places), Math.Min(before.MaxPlaces, after.MaxPlaces));
        return (before.WithPlaces(places), after.WithPlaces(places));
    }

    private int MaxPlaces => Places + NumberHistogram.GetSparePlaces(Histogram);

    /// <summary>Returns the divisor that converts recorded values to displayed values.</summary>
    /// <param name="scale">The factor that converts the input's numbers to displayed values.</param>
    public double RatioFor(double scale) => Math.ScaleB(1, Places) / scale;

    private Distribution WithPlaces(int places) => places == Places
        ? this
        : this with { Histogram = NumberHistogram.Rescale(Histogram, places - Places), Places = places };
}
