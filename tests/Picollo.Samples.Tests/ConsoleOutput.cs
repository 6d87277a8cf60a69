namespace Picollo.Samples.Tests;

/// <summary>What code prints to <see cref="Console.Out"/>. A process has one: tests with it are in the collection <see cref="Collection"/>, of which one runs
/// at a time, and others print nothing.</summary>
internal static class ConsoleOutput
{
    public const string Collection = "Console";

    /// <summary>The output with line feeds as line ends.</summary>
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

    /// <summary>The lines of the output, without the empty one after the last line end.</summary>
    public static string[] LinesOf(Action action)
    {
        string output = Of(action);
        output.Should().EndWith("\n");
        return output[..^1].Split('\n');
    }
}
