using System.CommandLine;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Jitter;

/// <summary><c>picollo jitter</c>: its options.</summary>
internal static class JitterCommand
{
    public static Command Create(Terminal _)
    {
        Command command = new("jitter", "Wake-up latency of each CPU.");
        command.SetAction(_ => NotThere());
        return command;
    }

    private static int NotThere() => throw new CommandException("not there yet");
}
