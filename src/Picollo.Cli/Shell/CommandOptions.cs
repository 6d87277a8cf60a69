using System.CommandLine.Parsing;

namespace Picollo.Cli.Shell;

/// <summary>Creates and validates options.</summary>
internal static class CommandOptions
{
    /// <summary>Creates an option whose value is text, or null if the option is not specified.</summary>
    public static Option<string?> Text(string name, string helpName, string description) =>
        new(name) { HelpName = helpName, Description = description };

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
    /// <param name="problemOf">A function that returns the first problem; null if the combination is valid.</param>
    public static void Check(this Command command, Func<CommandResult, string?> problemOf) =>
        command.Validators.Add(result =>
        {
            try
            {
                if (problemOf(result) is { } problem)
                {
                    result.AddError(problem);
                }
            }
            catch (InvalidOperationException)
            {
            }
        });

    /// <summary>Parses a whole number. Returns null if the text is not one, or if it is out of range.</summary>
    public static int? Number(string? text, int min, int max = int.MaxValue) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= min && number <= max
            ? number
            : null;
}
