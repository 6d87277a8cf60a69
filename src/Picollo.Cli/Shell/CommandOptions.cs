using System.CommandLine;
using System.CommandLine.Parsing;

namespace Picollo.Cli.Shell;

/// <summary>Creates and validates options.</summary>
internal static class CommandOptions
{
    /// <summary>Creates an option whose value is text, or null if the option is not specified.</summary>
    public static Option<string?> Text(string name, string helpName, string description) =>
        new(name) { HelpName = helpName, Description = description };

    /// <inheritdoc cref="Text(string, string, string)"/>
    public static Option<string?> Text(string name, string alias, string helpName, string description) =>
        new(name, alias) { HelpName = helpName, Description = description };

    /// <summary>Rejects invalid values. Validates the tokens, because the parser throws when reading the value of an option that already
    /// has an error.</summary>
    public static void Check(this Option option, Func<string, bool> isValid, Func<string, string> errorOf) =>
        option.Validators.Add(result =>
        {
            if (result.Tokens.FirstOrDefault(token => !isValid(token.Value)) is { } wrong)
            {
                result.AddError(errorOf(wrong.Value));
            }
        });

    /// <summary>Validates a combination of options. If one of them has an error, such as a second value, the combination is not validated:
    /// the parser throws when reading the value, and reports the error itself.</summary>
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
