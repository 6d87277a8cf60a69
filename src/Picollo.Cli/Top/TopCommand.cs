using System.CommandLine;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Top;

/// <summary><c>picollo top</c>: its options.</summary>
internal static class TopCommand
{
    public static Command Create(Terminal _)
    {
        Command command = new("top", "What the machine's CPUs and processes do.");
        command.SetAction(_ => NotThere());
        return command;
    }

    private static int NotThere() => throw new CommandException("not there yet");
}
