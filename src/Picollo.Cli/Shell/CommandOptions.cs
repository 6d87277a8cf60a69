using System.CommandLine;
using System.CommandLine.Parsing;

namespace Picollo.Cli.Shell;

/// <summary>Creates and checks options.</summary>
internal static class CommandOptions
{
    /// <summary>An option whose value is text; null unless it is given.</summary>
    public static Option<string?> Text(string name, string helpName, string description) =>
        new(name) { HelpName = helpName, Description = description };

    /// <inheritdoc cref="Text(string, string, string)"/>
    public static Option<string?> Text(string name, string alias, string helpName, string description) =>
        new(name, alias) { HelpName = helpName, Description = description };

    /// <summary>Rejects invalid values. Checks the words as they were given: the parser throws if it is asked for the value of an option
    /// that already has an error.</summary>
    public static void Check(this Option option, Func<string, bool> isValid, Func<string, string> errorOf) =>
        option.Validators.Add(result =>
        {
            if (result.Tokens.FirstOrDefault(token => !isValid(token.Value)) is { } wrong)
            {
                result.AddError(errorOf(wrong.Value));
            }
        });

    /// <summary>Checks options together. Nothing is checked if one of them has an error, such as a second value: the parser throws if it is
    /// asked for its value, and reports the error itself.</summary>
    public static void Check(this Command command, Action<CommandResult> check) =>
        command.Validators.Add(result =>
        {
            try
            {
                check(result);
            }
            catch (InvalidOperationException)
            {
            }
        });
}
