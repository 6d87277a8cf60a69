using System.Diagnostics;
using System.Globalization;

namespace Picollo.Samples.Top;

/// <summary>Creates command lines of .NET programs in the folder of this program.</summary>
internal static class Commands
{
    /// <summary>The assembly of this program.</summary>
    public const string Self = "TopExperiments";

    /// <summary>The assembly of the tool <c>picollo</c>. This project references it so that it is in the folder.</summary>
    public const string Picollo = "Picollo.Cli";

    /// <summary>Creates the start information of a program with redirected output.</summary>
    /// <param name="nice">The niceness, set by <c>nice</c>, or <see langword="null"/> to keep that of the caller.</param>
    /// <param name="assembly">The assembly of the program.</param>
    /// <param name="arguments">The arguments of the program.</param>
    public static ProcessStartInfo Of(int? nice, string assembly, params string[] arguments)
    {
        // This also works if another program, such as a test host, has loaded this assembly.
        string host = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH")
            ?? (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? Environment.ProcessPath! : "dotnet");
        string[] command = [host, "exec", Path.Combine(AppContext.BaseDirectory, assembly + ".dll"), .. arguments];
        // The command adds its number to the niceness of this program.
        command = nice is { } number ? ["nice", "-n", (number - Niceness.Own).ToString(CultureInfo.InvariantCulture), .. command] : command;
        ProcessStartInfo start = new(command[0], command[1..]) { RedirectStandardOutput = true };
        // If the process is killed, the runtime's diagnostics leave a socket in the temporary directory.
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        return start;
    }
}
