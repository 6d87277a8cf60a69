namespace Picollo.Samples;

/// <summary>Measurements as code gives them, a floor plus random noise; the same ones on every run.</summary>
public sealed class Measurements
{
    private readonly Random _random = new(0);

    /// <summary>A measurement of the code before its change. Noise below the floor is cut off: the conversion to
    /// <see cref="ulong"/> saturates at 0.</summary>
    public ulong NextBefore() =>
        20_000 + (ulong)(((0.5 - _random.NextDouble()) * 1_000) + (Math.Pow(_random.NextDouble(), 2) * 5_000));

    /// <summary>A measurement after the change: a lower floor and a longer tail.</summary>
    public ulong NextAfter() =>
        19_000 + (ulong)(((0.5 - _random.NextDouble()) * 500) + (Math.Pow(_random.NextDouble(), 3) * 10_000));

    /// <summary>A measurement of code whose tail grows with <paramref name="drift"/>.</summary>
    public ulong NextDrifting(ulong drift) =>
        20_000 + (ulong)(((0.5 - _random.NextDouble()) * 1_000) + (Math.Pow(_random.NextDouble(), 2) * drift));
}
