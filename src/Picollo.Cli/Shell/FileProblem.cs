namespace Picollo.Cli.Shell;

/// <summary>What is wrong with a file, without its path, which .NET's messages have in full and at the end.</summary>
internal static class FileProblem
{
    public static string Of(Exception problem) => problem switch
    {
        FileNotFoundException or DirectoryNotFoundException => "No such file or directory",
        UnauthorizedAccessException => "Permission denied",
        _ => problem.Message.Split(" : '")[0],
    };
}
