namespace Picollo.Samples.Tests;

/// <summary>Captures the output of code to <see cref="Console.Out"/>. A process has only one, so tests that use it are in the collection
/// <see cref="Collection"/>, whose tests run one at a time. Other tests do not print.</summary>
internal static class ConsoleOutput
{
    public const string Collection = "Console";

    /// <summary>Runs an action and returns its output, with line feeds as line ends.</summary>
    public static string Of(Action action)
    {
        TextWriter console = Console.Out;
        using StringWriter output = new();
        Console.SetOut(output);
        try
        {
            action();
        }
        finally
        {
            Console.SetOut(console);
        }

        return output.ToString().ReplaceLineEndings("\n");
    }

    /// <summary>Runs an action and returns the lines of its output, without the empty line after the last line end.</summary>
    public static string[] LinesOf(Action action)
    {
        string output = Of(action);
        output.Should().EndWith("\n");
        return output[..^1].Split('\n');
    }
}
