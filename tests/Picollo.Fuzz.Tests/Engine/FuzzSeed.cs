namespace Picollo.Fuzz.Tests;

/// <summary>A real input.</summary>
/// <param name="Bytes">The input.</param>
/// <param name="Parts">The parts that matter, where half of the mutations are made; none for all of it.</param>
internal sealed record FuzzSeed(byte[] Bytes, params (int Start, int Length)[] Parts)
{
    public static FuzzSeed Of(string text) => new(System.Text.Encoding.UTF8.GetBytes(text));
}
