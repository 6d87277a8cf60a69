using System.Text;

namespace Picollo.Fuzz.Tests;

/// <summary>All decoders and parsers.</summary>
internal static class FuzzTargets
{
    public static FuzzTarget[] All { get; } =
        [.. HistogramTargets.All, .. ExpositionTargets.All, .. PageTargets.All, .. ProcTargets.All, .. SymbolTargets.All, .. ProfileTargets.All, .. CommandTargets.All];

    public static bool Exists(string name) => Array.Exists(All, target => target.Name == name);

    public static FuzzTarget Named(string name) =>
        Array.Find(All, target => target.Name == name) ?? throw new ArgumentException($"There is no target {name}. The targets are: {string.Join(", ", All.Select(one => one.Name))}");

    /// <summary>Throws an exception if the result of an input is wrong.</summary>
    public static void Check(bool isRight, string problem)
    {
        if (!isRight)
        {
            throw new WrongResultException(problem);
        }
    }

    /// <summary>Writes an input to a file, for readers that open a file.</summary>
    /// <param name="input">The content.</param>
    /// <param name="name">The file name, which may matter to the reader.</param>
    public static string FileOf(byte[] input, string name)
    {
        string path = Path.Combine(Scratch.Folder, name);
        File.WriteAllBytes(path, input);
        return path;
    }

    /// <summary>Returns the seeds of the files that exist.</summary>
    public static IEnumerable<FuzzSeed> Files(params string[] paths) => paths.Where(File.Exists).Select(path => new FuzzSeed(File.ReadAllBytes(path)));

    public static string InRepository(params string[] path) => Path.Combine([Repository.Root, .. path]);

    public static string Text(byte[] input) => Encoding.UTF8.GetString(input);

    private static class Scratch
    {
        static Scratch() => AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(Folder, recursive: true);

        public static string Folder { get; } = Directory.CreateTempSubdirectory("picollo-fuzz-").FullName;
    }
}

/// <summary>The exception for an input that was read with a wrong result.</summary>
internal sealed class WrongResultException(string problem) : Exception(problem);
