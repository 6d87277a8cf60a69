using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>What was read: counts in a unit of 2⁻ᵖˡᵃᶜᵉˢ of the input's.</summary>
/// <param name="Name">Of the inputs, cleaned of what steers a terminal.</param>
/// <param name="Histogram">The counts.</param>
/// <param name="Places">0 for whole numbers.</param>
/// <param name="StartUtc">When they were measured, as far as the inputs tell; else when reading began.</param>
/// <param name="EndUtc">The end of it.</param>
internal sealed record Distribution(string Name, HdrHistogram Histogram, int Places, DateTime StartUtc, DateTime EndUtc)
{
    /// <summary>Two in one unit: the finer, unless a number does not fit it.</summary>
    public static (Distribution Before, Distribution After) InOneUnit(Distribution before, Distribution after)
    {
        int places = Math.Min(Math.Max(before.Places, after.Places), Math.Min(before.MostPlaces, after.MostPlaces));
        return (before.WithPlaces(places), after.WithPlaces(places));
    }

    private int MostPlaces => Places + NumberHistogram.RoomOf(Histogram);

    /// <summary>What a recorded value is divided by to be what is shown.</summary>
    /// <param name="scale">What the input's numbers are multiplied by.</param>
    public double RatioFor(double scale) => Math.ScaleB(1, Places) / scale;

    private Distribution WithPlaces(int places) => places == Places
        ? this
        : this with { Histogram = NumberHistogram.Rescale(Histogram, places - Places), Places = places };
}
