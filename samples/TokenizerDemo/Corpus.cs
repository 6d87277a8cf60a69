namespace Picollo.Samples.Tokenizer;

/// <summary>The text to work on, in memory: what is measured is the tokenising, not the disk.</summary>
/// <param name="Folder">Where the files were found.</param>
/// <param name="FileCount">How many files it is made of.</param>
/// <param name="Bytes">Their size on disk.</param>
/// <param name="Lines">Their lines.</param>
public sealed record Corpus(string Folder, int FileCount, long Bytes, string[] Lines)
{
    /// <summary>Reads files of UTF-8 text.</summary>
    public static Corpus Load(string folder, string[] files) =>
        new(folder, files.Length, files.Sum(file => new FileInfo(file).Length), [.. files.SelectMany(File.ReadLines)]);
}
