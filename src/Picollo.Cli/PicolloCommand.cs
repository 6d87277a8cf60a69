using System.CommandLine.Parsing;
using System.ComponentModel;
using Picollo.Cli.Hist;
using Picollo.Cli.Jitter;
using Picollo.Cli.Record;
using Picollo.Cli.Run;
using Picollo.Cli.Stat;
using Picollo.Cli.Top;
using Picollo.Interop.Linux;
using Picollo.Interop.Windows;

namespace Picollo.Cli;

/// <summary>Parses and runs the command line, and maps exceptions to exit codes.</summary>
internal static class PicolloCommand
{
    public static int Main(string[] args) => Run(RawText.Arguments(args), new Terminal());

    public static ParseResult Parse(string[] args, Terminal terminal)
    {
        RootCommand root = new("Measure the performance of commands and of this machine, and summarize latency data.")
        {
            HistCommand.Create(terminal), StatCommand.Create(terminal), JitterCommand.Create(terminal), TopCommand.Create(terminal),
            RecordCommand.Create(terminal), RunCommand.Create(terminal),
        };
        CommandHelp.Append(root, """
            Exit codes:
              0    success
              1    an input cannot be read, an output cannot be written, or a measurement
                   is not possible
              2    invalid command line
              130  interrupted by Ctrl+C (143 by SIGTERM)
              141  the reader of the output closed the pipe
              Some commands have additional exit codes: run picollo COMMAND --help.
            """);
        CommandHelp.Install(root);
        return root.Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null }); // @x is an ordinary argument
    }

    public static int Run(string[] args, Terminal terminal)
    {
        ParseResult parsed = Parse(args, terminal);
        if (parsed.Errors.Count > 0 && parsed.Action is not CommandHelp)
        {
            return UsageError(parsed, terminal);
        }

        try
        {
            int exitCode = parsed.Invoke(new InvocationConfiguration
            {
                Output = terminal.Out,
                Error = terminal.Error,
                EnableDefaultExceptionHandler = false,
                ProcessTerminationTimeout = null, // Interrupt handles signals
            });
            terminal.Out.Flush();
            return exitCode;
        }
        catch (ClosedPipeException)
        {
            return ExitCodes.ClosedPipe;
        }
        catch (Exception e) when (
            e is CommandException or Win32Exception or IOException or UnauthorizedAccessException or MeasurementUnavailableException)
        {
            terminal.Error.WriteLine($"picollo: {ForeignText.Clean(e.Message)}");
            return e switch
            {
                CommandException failure => failure.ExitCode,
                Win32Exception failure => IsNotFound(failure.NativeErrorCode) ? ExitCodes.NotFound : ExitCodes.NotExecutable,
                _ => ExitCodes.Failure,
            };
        }
    }

    // Distinguishes exit code 127 from 126, as a shell does.
    private static bool IsNotFound(int error) => OperatingSystem.IsWindows()
        ? error is Kernel32.ERROR_FILE_NOT_FOUND or Kernel32.ERROR_PATH_NOT_FOUND
        : error is Errno.ENOENT or Errno.ENOTDIR;

    // One line and a hint, because the error would be lost before a page of help.
    private static int UsageError(ParseResult parsed, Terminal terminal)
    {
        // The parser first reports a missing command for an unknown one; for -t 5, the message should name -t.
        ParseError error = parsed.UnmatchedTokens.Count == 0
            ? parsed.Errors[0]
            : parsed.Errors.FirstOrDefault(other => other.Message.Contains($"'{parsed.UnmatchedTokens[0]}'", StringComparison.Ordinal))
                ?? parsed.Errors[^1];
        Command command = parsed.CommandResult.Command;
        string remedy = IsOptionOfMeasuredCommand(parsed, error)
            ? $"A command with options must follow --: {NameOf(command)} -- CMD ARGS\n"
            : "";
        terminal.Error.WriteLine(
            $"picollo: {ForeignText.Clean(error.Message)}\n{remedy}Try '{NameOf(command)} --help'.");
        return ExitCodes.Usage;
    }

    // In picollo stat ls -r, the option follows the first word of the command to measure. After --, there are no option tokens.
    private static bool IsOptionOfMeasuredCommand(ParseResult parsed, ParseError error)
    {
        Command command = parsed.CommandResult.Command;
        if (command.Name is not (StatCommand.Name or RecordCommand.Name or RunCommand.Name)
            || parsed.GetResult(command.Arguments[0])?.Tokens is not [var word, ..]
            || word.Value.StartsWith('-'))
        {
            return false;
        }

        Token[] rest = [.. parsed.Tokens.SkipWhile(token => token != word).Where(token => token.Type == TokenType.Option)];
        return error.SymbolResult is OptionResult { IdentifierToken: { } option } ? rest.Contains(option) : rest.Length > 0;
    }

    private static string NameOf(Command command) =>
        command is RootCommand ? "picollo" : $"{NameOf(command.Parents.OfType<Command>().Single())} {command.Name}";
}
