namespace Picollo.Samples;

/// <summary>Generates values that resemble measurements of real code: a minimum plus random noise. Every run generates the same values.</summary>
public sealed class Measurements
{
    private readonly Random _random = new(0);

    /// <summary>Returns a measurement of the code before its change. Noise below the minimum is removed, because the conversion to
    /// <see cref="ulong"/> saturates at 0.</summary>
    public ulong NextBefore() =>
        20_000 + (ulong)(((0.5 - _random.NextDouble()) * 1_000) + (Math.Pow(_random.NextDouble(), 2) * 5_000));

    /// <summary>Returns a measurement after the change, with a lower minimum and a longer tail.</summary>
    public ulong NextAfter() =>
        19_000 + (ulong)(((0.5 - _random.NextDouble()) * 500) + (Math.Pow(_random.NextDouble(), 3) * 10_000));

    /// <summary>Returns a measurement of code whose tail grows with <paramref name="drift"/>.</summary>
    public ulong NextDrifting(ulong drift) =>
        20_000 + (ulong)(((0.5 - _random.NextDouble()) * 1_000) + (Math.Pow(_random.NextDouble(), 2) * drift));
}
