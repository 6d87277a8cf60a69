using System.Globalization;

namespace Picollo.Samples.Tokenizer;

/// <summary>The command line: <c>[--rounds n] [directory]</c>.</summary>
internal static class Program
{
    private const int DefaultRounds = 11;
    private const int MaxRounds = 1_000;

    public static int Main(string[] arguments)
    {
        (int rounds, string? folder, bool understood) = Parse(arguments);
        if (!understood)
        {
            Console.Error.WriteLine($"usage: TokenizerDemo [--rounds 1..{MaxRounds}] [directory with .xml or .txt files]");
            return 2;
        }

        if (Load(folder) is not { Lines.Length: > 0 } corpus)
        {
            Console.Error.WriteLine(folder is not null
                ? $"The directory '{folder}' does not exist or has no .xml or .txt files with text."
                : "No packs/*.Ref/*/ref/net*/*.xml found in any dotnet directory: this SDK does not include the documentation of its " +
                    "reference packs. Set DOTNET_ROOT to an SDK that includes it, or pass a directory with .xml or .txt files.");
            return 2;
        }

        int threads = Math.Max(2, Environment.ProcessorCount);
        Implementation before = new("split", () => new SplitTokenizer());
        Implementation after = new("span", () => new SpanTokenizer());
        TextWriter? terminal = Console.IsErrorRedirected ? null : Console.Error;
        return new Demo(corpus, threads, rounds, before, after, Console.Out, terminal).Run() ? 0 : 1;
    }

    private static (int Rounds, string? Folder, bool Understood) Parse(string[] arguments) => arguments switch
    {
        [] => (DefaultRounds, null, true),
        ["--rounds", var number, .. { Length: <= 1 } rest]
            when int.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out int rounds) && rounds is > 0 and <= MaxRounds =>
            (rounds, rest.FirstOrDefault(), true),
        [var folder] when !folder.StartsWith('-') => (DefaultRounds, folder, true),
        _ => (0, null, false),
    };

    private static Corpus? Load(string? folder)
    {
        if (folder is null)
        {
            return ReferencePacks.Find(ReferencePacks.CandidateRoots()) is { } found ? Corpus.Load(found.Folder, found.Files) : null;
        }

        if (!Directory.Exists(folder))
        {
            return null;
        }

        string[] files = [.. Directory.EnumerateFiles(folder).Where(file => Path.GetExtension(file) is ".xml" or ".txt").Order(StringComparer.Ordinal)];
        return Corpus.Load(folder, files);
    }
}
