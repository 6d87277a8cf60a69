using System.Numerics;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>A histogram of numbers that may have fractions: it counts in a unit of 2⁻ⁿ, where n is 0 as long as whole numbers will
/// do.</summary>
/// <remarks>
/// <para>A number that the unit would hold less precisely than the histogram promises makes the unit finer; one that does not fit
/// makes it coarser. Neither loses anything: with a unit that is a power of two, a bucket's numbers lie in one bucket before and after. So
/// neither the order of the numbers matters, nor the batches that they come in.</para>
/// <para>Numbers are rounded down to the unit, which leaves each in its bucket. The promised relative error holds down to 2⁻⁵⁴ of the
/// largest number, and to 2⁻⁵³; smaller numbers are precise to 2⁻⁶³ of either.</para>
/// </remarks>
internal sealed class NumberHistogram
{
    // With one more place 1 would no longer fit.
    private const int MostPlaces = 63;

    /// <summary>The logarithm of the value from which on buckets are wider than 1: then a midpoint is as near to what was rounded
    /// down.</summary>
    private static readonly int PreciseExponent = BitOperations.Log2(2 * (uint)HdrHistogram.Create().BlockSize);

    private readonly ulong[] _inUnit = new ulong[1024];
    private double _unitsPerOne = 1; // 2 to the number of places
    private int _wantedPlaces; // for the smallest fraction
    private int _mostPlaces = MostPlaces; // for the largest number; only kept once there is a fraction

    /// <summary>What was counted, in the unit.</summary>
    public PlainHdrHistogram<uint> Histogram { get; private set; } = HdrHistogram.Create();

    /// <summary>n, where the unit is 2⁻ⁿ.</summary>
    public int Places { get; private set; }

    /// <summary>Counts whole numbers.</summary>
    public void Record(ReadOnlySpan<ulong> numbers)
    {
        if (_wantedPlaces == 0)
        {
            Histogram.Record(numbers);
            return;
        }

        while (!numbers.IsEmpty)
        {
            ReadOnlySpan<ulong> some = numbers[..Math.Min(numbers.Length, _inUnit.Length)];
            ulong bits = 0;
            foreach (ulong number in some)
            {
                bits |= number; // the top bit is that of the largest
            }

            FitIn(BitOperations.LeadingZeroCount(bits));
            for (int i = 0; i < some.Length; i++)
            {
                _inUnit[i] = some[i] << Places;
            }

            Histogram.Record(_inUnit.AsSpan(0, some.Length));
            numbers = numbers[some.Length..];
        }
    }

    /// <summary>Counts a number from 0 to below 2⁶⁴.</summary>
    public void Record(double number, ulong count = 1)
    {
        ulong inUnit = ToUnit(number); // may replace the histogram
        Histogram.Record(inUnit, count);
    }

    /// <summary>A copy in a unit that is finer by 2ᵖˡᵃᶜᵉˢ, or coarser if that is negative.</summary>
    public static PlainHdrHistogram<uint> Rescale(ReadOnlyHdrHistogram histogram, int places)
    {
        PlainHdrHistogram<uint> rescaled = HdrHistogram.Factory.WithLayoutOf(histogram)
            .WithMinTrackableValue(0).WithMaxTrackableValue(ulong.MaxValue).Create(); // its range is in the unit before
        foreach (Bucket bucket in histogram.BucketsWithValues)
        {
            rescaled.Record(places >= 0 ? bucket.Start << places : bucket.Start >> -places, bucket.Count);
        }

        return rescaled;
    }

    /// <summary>The largest number of places for which the largest number of a histogram of whole numbers still fits.</summary>
    public static int RoomOf(ReadOnlyHdrHistogram histogram) =>
        Math.Min(BitOperations.LeadingZeroCount(histogram.GetPercentile(100).Bucket.Start), MostPlaces);

    /// <summary>The number in the unit, which is first adapted to hold it.</summary>
    private ulong ToUnit(double number)
    {
        int exponent = ExponentOf(number);
        int places = number == Math.Floor(number) ? 0 : Math.Min(PreciseExponent - exponent, MostPlaces);
        if (places > _wantedPlaces)
        {
            _mostPlaces = _wantedPlaces == 0 ? RoomOf(Histogram) : _mostPlaces;
            _wantedPlaces = places;
            Adapt();
        }

        if (_wantedPlaces > 0)
        {
            FitIn(MostPlaces - exponent);
        }

        return (ulong)(number * _unitsPerOne); // the product is exact, as that is a power of two
    }

    // For 0 and numbers that are too small to differ from it here, the smallest exponent.
    private static int ExponentOf(double number) => (int)(BitConverter.DoubleToUInt64Bits(number) >> 52) - 1023;

    private void FitIn(int places)
    {
        if (places < _mostPlaces)
        {
            _mostPlaces = places;
            Adapt();
        }
    }

    private void Adapt()
    {
        int places = Math.Min(_wantedPlaces, _mostPlaces);
        if (places != Places)
        {
            Histogram = Rescale(Histogram, places - Places);
            Places = places;
            _unitsPerOne = Math.ScaleB(1, places);
        }
    }
}
