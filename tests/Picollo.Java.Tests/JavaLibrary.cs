namespace Picollo.Java.Tests;

/// <summary>The family's library, and programs in <c>Java</c> that call it.</summary>
internal static class JavaLibrary
{
    private const string Jar = "/usr/share/java/hdrhistogram.jar";

    private static readonly Dictionary<string, string?> AsItIs = [];

    private static readonly Lazy<string> Classes = new(Compile);

    public static string? UnavailableReason { get; } =
        !Tool.Exists("javac") ? "no 'javac' on the PATH (Debian's package default-jdk-headless)"
        : !File.Exists(Jar) ? $"no {Jar} (Debian's package libhdrhistogram-java)"
        : null;

    /// <summary>Runs a class, of the library or of <c>Java</c>, and returns what it prints.</summary>
    public static string Run(string className, params string[] arguments) => Tool.Run(
        "java", Path.GetTempPath(), AsItIs, ["-Duser.timezone=UTC", "-cp", $"{Jar}:{Classes.Value}", className, .. arguments]);

    private static string Compile()
    {
        string folder = Path.Combine(AppContext.BaseDirectory, "classes");
        string[] sources = Directory.GetFiles(Path.Combine(Repository.Root, "tests", "Picollo.Java.Tests", "Java"), "*.java");
        Tool.Run("javac", Path.GetTempPath(), AsItIs, ["-encoding", "UTF-8", "-cp", Jar, "-d", folder, .. sources]);
        return folder;
    }
}
