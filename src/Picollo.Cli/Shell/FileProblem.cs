namespace Picollo.Cli.Shell;

/// <summary>What is wrong with a file, without its path, which .NET's messages have in full and at the end.</summary>
internal static class FileProblem
{
    /// <summary>.NET takes an empty path, such as of a shell's empty variable, for its caller's mistake; here it is a file that is not
    /// there.</summary>
    public static void ThrowIfEmpty(string path)
    {
        if (path.Length == 0)
        {
            throw new FileNotFoundException();
        }
    }

    public static string Of(Exception problem) => problem switch
    {
        FileNotFoundException or DirectoryNotFoundException => "No such file or directory",
        UnauthorizedAccessException => "Permission denied",
        _ => problem.Message.Split(" : '")[0],
    };
}
