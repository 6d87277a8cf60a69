// The samples print to the console, of which a process has one: their tests run one after another.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Picollo.Samples.Tests;

/// <summary>What code prints to <see cref="Console.Out"/>.</summary>
internal static class ConsoleOutput
{
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
