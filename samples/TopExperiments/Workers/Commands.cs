using System.Diagnostics;
using System.Globalization;

namespace Picollo.Samples.Top;

/// <summary>Command lines of .NET programs that are in the folder of this one.</summary>
internal static class Commands
{
    /// <summary>The assembly of this program.</summary>
    public const string Self = "TopExperiments";

    /// <summary>The assembly of the tool <c>picollo</c>, which this project references for that.</summary>
    public const string Picollo = "Picollo.Cli";

    /// <summary>Starts a program with its output redirected.</summary>
    /// <param name="nice">The niceness, set by <c>nice</c>; null to keep the caller's.</param>
    /// <param name="assembly">The program.</param>
    /// <param name="arguments">The arguments of the program.</param>
    public static ProcessStartInfo Of(int? nice, string assembly, params string[] arguments)
    {
        // Also where another program has loaded this one, as a test host does.
        string host = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH")
            ?? (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? Environment.ProcessPath! : "dotnet");
        string[] command = [host, "exec", Path.Combine(AppContext.BaseDirectory, assembly + ".dll"), .. arguments];
        command = nice is { } number ? ["nice", "-n", number.ToString(CultureInfo.InvariantCulture), .. command] : command;
        ProcessStartInfo start = new(command[0], command[1..]) { RedirectStandardOutput = true };
        // The runtime's diagnostics leave a socket in the temporary folder when their process is killed.
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        return start;
    }
}
