using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Picollo.Cli.Shell;

/// <summary>Prints the help of a command: the help that System.CommandLine generates, then examples and exit codes.</summary>
/// <param name="standard">The action that prints the generated help.</param>
internal sealed class CommandHelp(HelpAction standard) : SynchronousCommandLineAction
{
    private static readonly Dictionary<Command, string> Epilogues = [];

    public static void Install(RootCommand root)
    {
        HelpOption help = root.Options.OfType<HelpOption>().Single();
        help.Action = new CommandHelp((HelpAction)help.Action!);
        help.Description = "Show this help.";
        root.Options.OfType<VersionOption>().Single().Description = "Show the version.";
    }

    /// <summary>Sets the examples and exit codes of a command, in at most 80 columns.</summary>
    public static void Append(Command command, string epilogue) => Epilogues.Add(command, epilogue);

    public override int Invoke(ParseResult parseResult)
    {
        standard.MaxWidth = 80;
        int exitCode = standard.Invoke(parseResult);
        if (Epilogues.TryGetValue(parseResult.CommandResult.Command, out string? epilogue))
        {
            parseResult.InvocationConfiguration.Output.WriteLine(epilogue);
        }

        return exitCode;
    }
}
