namespace Picollo.Cli.Tests;

/// <summary>Outputs that were looked at, in files beside the tests.</summary>
internal static class Golden
{
    private const string Switch = "PICOLLO_APPROVE";

    /// <summary>Compares with a file, which PICOLLO_APPROVE=1 writes anew.</summary>
    /// <param name="output">What a command printed.</param>
    /// <param name="file">In the tests' folder.</param>
    public static void ShouldBeTheApproved(this string output, string file)
    {
        string path = Path.Combine(Repository.Root, "tests/Picollo.Cli.Tests", file);
        if (Environment.GetEnvironmentVariable(Switch) == "1")
        {
            File.WriteAllText(path, output);
        }

        output.Should().Be(File.ReadAllText(path).ReplaceLineEndings("\n"), $"{Switch}=1 with this test writes {path}");
    }
}
