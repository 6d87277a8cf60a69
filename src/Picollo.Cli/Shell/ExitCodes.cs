namespace Picollo.Cli.Shell;

/// <summary>What the tool ends with; each command's help says what it means there.</summary>
internal static class ExitCodes
{
    public const int Success = 0;

    /// <summary>Something could not be read, written or measured; a line on standard error says what.</summary>
    public const int Failure = 1;

    /// <summary>The command line is not understood.</summary>
    public const int Usage = 2;

    /// <summary>128 + SIGPIPE: whoever read the output has had enough; nothing is said, as there is nobody to read it.</summary>
    public const int ClosedPipe = 141;

    /// <summary>How a shell tells of a signal.</summary>
    public static int OfSignal(int signal) => 128 + signal;
}
