using System.Numerics;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>A histogram of numbers with or without fractions. It counts in a unit of 2⁻ⁿ, where n is 0 while all numbers are
/// whole.</summary>
/// <remarks>
/// <para>The unit becomes finer when a number would otherwise be recorded less precisely than the histogram guarantees, and coarser when a
/// number does not fit. Neither change loses precision: because the unit is a power of two, all numbers of one bucket move to the same
/// bucket. The result therefore does not depend on the order of the numbers, or on how they are split into batches.</para>
/// <para>Numbers are rounded down to the unit, and remain in the same bucket. The relative error is guaranteed for numbers of at least 2⁻⁵³
/// that are also at least 2⁻⁵⁴ times the largest number. Smaller numbers have an absolute precision of 2⁻⁶³, or of 2⁻⁶³ times the largest
/// number if that is more.</para>
/// </remarks>
internal sealed class NumberHistogram
{
    // With one more place, the number 1 would no longer fit.
    private const int MaxPlaces = 63;

    /// <summary>The binary logarithm of the smallest value whose bucket is wider than 1. From there on, rounding down does not make the
    /// midpoint less accurate.</summary>
    private static readonly int PreciseExponent = BitOperations.Log2(2 * (uint)HdrHistogram.Create().BlockSize);

    private readonly ulong[] _inUnit = new ulong[1024];
    private double _unitsPerOne = 1; // 2 to the power of Places
    private int _requiredPlaces; // places that the smallest fraction requires
    private int _maxPlaces = MaxPlaces; // places for which the largest number fits; updated only after the first fraction

    /// <summary>The recorded numbers, in multiples of the unit.</summary>
    public PlainHdrHistogram<uint> Histogram { get; private set; } = HdrHistogram.Create();

    /// <summary>The number of binary places: n if the unit is 2⁻ⁿ.</summary>
    public int Places { get; private set; }

    public void Record(ReadOnlySpan<ulong> numbers)
    {
        if (_requiredPlaces == 0)
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
                bits |= number; // has the top bit of the largest number
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

    /// <summary>Records a number that is 0 or more and below 2⁶⁴.</summary>
    public void Record(double number, ulong count = 1)
    {
        ulong inUnit = ToUnit(number); // first, because it may replace the histogram
        Histogram.Record(inUnit, count);
    }

    /// <summary>Returns a copy in a unit that is finer by 2ᵖˡᵃᶜᵉˢ, or coarser if <paramref name="places"/> is negative.</summary>
    public static PlainHdrHistogram<uint> Rescale(ReadOnlyHdrHistogram histogram, int places)
    {
        PlainHdrHistogram<uint> rescaled = HdrHistogram.Factory.WithLayoutOf(histogram)
            .WithMinTrackableValue(0).WithMaxTrackableValue(ulong.MaxValue).Create(); // the range of the layout is in the old unit
        foreach (Bucket bucket in histogram.BucketsWithValues)
        {
            rescaled.Record(places >= 0 ? bucket.Start << places : bucket.Start >> -places, bucket.Count);
        }

        return rescaled;
    }

    /// <summary>Returns the number of places that can be added before the largest number of a histogram no longer fits.</summary>
    public static int GetSparePlaces(ReadOnlyHdrHistogram histogram) =>
        Math.Min(BitOperations.LeadingZeroCount(histogram.GetPercentile(100).Bucket.Start), MaxPlaces);

    /// <summary>Converts a number to the unit, after adapting the unit to it.</summary>
    private ulong ToUnit(double number)
    {
        int exponent = ExponentOf(number);
        int places = number == Math.Floor(number) ? 0 : Math.Min(PreciseExponent - exponent, MaxPlaces);
        if (places > _requiredPlaces)
        {
            _maxPlaces = _requiredPlaces == 0 ? GetSparePlaces(Histogram) : _maxPlaces;
            _requiredPlaces = places;
            Adapt();
        }

        if (_requiredPlaces > 0)
        {
            FitIn(MaxPlaces - exponent);
        }

        return (ulong)(number * _unitsPerOne); // the product is exact: the factor is a power of two
    }

    // Zero and subnormal numbers have the smallest exponent.
    private static int ExponentOf(double number) => (int)(BitConverter.DoubleToUInt64Bits(number) >> 52) - 1023;

    private void FitIn(int places)
    {
        if (places < _maxPlaces)
        {
            _maxPlaces = places;
            Adapt();
        }
    }

    private void Adapt()
    {
        int places = Math.Min(_requiredPlaces, _maxPlaces);
        if (places != Places)
        {
            Histogram = Rescale(Histogram, places - Places);
            Places = places;
            _unitsPerOne = Math.ScaleB(1, places);
        }
    }
}
