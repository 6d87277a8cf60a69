namespace Picollo.Samples.Tokenizer;

/// <summary>The text to tokenize. It is in memory, so that the measurements do not include disk access.</summary>
/// <param name="Folder">The folder of the files.</param>
/// <param name="FileCount">The number of files.</param>
/// <param name="Bytes">The total size of the files, in bytes.</param>
/// <param name="Lines">The lines of all files.</param>
public sealed record Corpus(string Folder, int FileCount, long Bytes, string[] Lines)
{
    /// <summary>Reads files of UTF-8 text.</summary>
    public static Corpus Load(string folder, string[] files) =>
        new(folder, files.Length, files.Sum(file => new FileInfo(file).Length), [.. files.SelectMany(File.ReadLines)]);
}
