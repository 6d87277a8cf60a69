namespace Picollo.Cli.Tests;

/// <summary>Compares outputs with approved files in the folder of the tests.</summary>
internal static class Golden
{
    private const string Switch = "PICOLLO_APPROVE";

    /// <summary>Compares an output with a file. PICOLLO_APPROVE=1 updates the file.</summary>
    /// <param name="output">The output of a command.</param>
    /// <param name="file">The path of the file, relative to the folder of the tests.</param>
    public static void ShouldBeApproved(this string output, string file)
    {
        string path = Path.Combine(Repository.Root, "tests/Picollo.Cli.Tests", file);
        if (Environment.GetEnvironmentVariable(Switch) == "1")
        {
            File.WriteAllText(path, output);
        }

        output.Should().Be(File.ReadAllText(path).ReplaceLineEndings("\n"), $"{Switch}=1 with this test writes {path}");
    }
}
