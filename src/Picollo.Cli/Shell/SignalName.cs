using System.Globalization;

namespace Picollo.Cli.Shell;

/// <summary>Signals by name and number, as Linux has them on x64 and arm64 (signal(7)).</summary>
internal static class SignalName
{
    public const int Term = 15;
    private const int Largest = 64;
    private const string Prefix = "SIG";

    private static readonly string[] Names =
    [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT",
        "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ];

    /// <summary>The name with SIG before it; "signal" and the number where it has none.</summary>
    public static string Of(int signal) =>
        signal >= 1 && signal <= Names.Length
            ? Prefix + Names[signal - 1]
            : string.Create(CultureInfo.InvariantCulture, $"signal {signal}");

    /// <summary>The number of what a user calls a signal: its number, or its name in letters of either case, with SIG before it or
    /// without.</summary>
    /// <returns>1 to 64; null where there is no such signal.</returns>
    public static int? Find(string text)
    {
        if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number))
        {
            return number is >= 1 and <= Largest ? number : null;
        }

        string name = text.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase) ? text[Prefix.Length..] : text;
        int index = Array.FindIndex(Names, each => each.Equals(name, StringComparison.OrdinalIgnoreCase));
        return index >= 0 ? index + 1 : null;
    }
}
