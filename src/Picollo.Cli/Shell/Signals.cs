namespace Picollo.Cli.Shell;

/// <summary>The numbers and names of signals on Linux x64 and arm64 (signal(7)).</summary>
internal static class Signals
{
    public const int Hangup = 1;
    public const int Interrupt = 2;
    public const int Kill = 9;
    public const int Terminate = 15;
    public const int Continue = 18;
    private const int MaxSignal = 64;
    private const string Prefix = "SIG";

    private static readonly string[] Names =
    [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT",
        "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ];

    /// <summary>Returns the name of a signal, including SIG, or "signal" and the number if it has no name.</summary>
    public static string NameOf(int signal) =>
        signal >= 1 && signal <= Names.Length ? Prefix + Names[signal - 1] : Invariant($"signal {signal}");

    /// <summary>Parses the number or the name of a signal. A name is case-insensitive, with or without SIG.</summary>
    /// <returns>The number, 1 to 64; null if the signal does not exist.</returns>
    public static int? Find(string text)
    {
        string name = text.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase) ? text[Prefix.Length..] : text;
        int index = Array.FindIndex(Names, known => known.Equals(name, StringComparison.OrdinalIgnoreCase));
        return index >= 0 ? index + 1 : CommandOptions.Number(text, 1, MaxSignal);
    }
}
