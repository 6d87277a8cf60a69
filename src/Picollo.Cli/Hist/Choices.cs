namespace Picollo.Cli.Hist;

/// <summary>What a user could have named instead.</summary>
internal static class Choices
{
    private const int MostTold = 8;

    public static string Tell(IReadOnlyCollection<string> names) =>
        names.Count == 0 ? "none" : string.Join(", ", names.Take(MostTold)) + (names.Count > MostTold ? ", …" : "");
}
