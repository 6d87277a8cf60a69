namespace Picollo.Peers.Tests.Java;

/// <summary>The HdrHistogram library for Java, and programs in <c>Java</c> that call it.</summary>
internal static class JavaLibrary
{
    private const string Jar = Needs.JavaLibrary;

    private static readonly Dictionary<string, string?> DefaultEnvironment = [];

    private static readonly Lazy<string> Classes = new(Compile);

    /// <summary>Runs a class of the library or of <c>Java</c>, and returns its output.</summary>
    public static string Run(string className, params string[] arguments) => Tool.Run(
        "java", Path.GetTempPath(), DefaultEnvironment, ["-Duser.timezone=UTC", "-cp", $"{Jar}:{Classes.Value}", className, .. arguments]);

    /// <summary>Runs a class with a file of input lines as its last argument, and returns its output.</summary>
    public static string RunWithInput(string input, string className, params string[] arguments)
    {
        string source = Path.GetTempFileName();
        try
        {
            File.WriteAllText(source, input);
            return Run(className, [.. arguments, source]);
        }
        finally
        {
            File.Delete(source);
        }
    }

    private static string Compile()
    {
        string folder = Path.Combine(AppContext.BaseDirectory, "classes");
        string[] sources = Directory.GetFiles(Path.Combine(Repository.Root, "tests", "Picollo.Peers.Tests", "Java"), "*.java");
        Tool.Run("javac", Path.GetTempPath(), DefaultEnvironment, ["-encoding", "UTF-8", "-cp", Jar, "-d", folder, .. sources]);
        return folder;
    }
}
