namespace Picollo.Fuzz.Tests;

/// <summary>A real input.</summary>
/// <param name="Bytes">The input.</param>
/// <param name="Parts">The important parts, which receive half of the mutations; empty for the whole input.</param>
internal sealed record FuzzSeed(byte[] Bytes, params (int Start, int Length)[] Parts)
{
    public static FuzzSeed Of(string text) => new(System.Text.Encoding.UTF8.GetBytes(text));
}
