namespace Picollo.Tests.PerfEvent;

/// <summary>Runs tests/HelperApp in separate processes, from a folder that any user can read.</summary>
public sealed class FaultsApp : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-faults-").FullName;

    public FaultsApp()
    {
        foreach (string pattern in (string[])["HelperApp.dll", "HelperApp.runtimeconfig.json", "Picollo*.dll", "*picollo_native.*"])
        {
            foreach (string file in Directory.EnumerateFiles(AppContext.BaseDirectory, pattern))
            {
                File.Copy(file, Path.Combine(_folder, Path.GetFileName(file)));
            }
        }

        if (!OperatingSystem.IsWindows())
        {
            const UnixFileMode read = UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
            foreach (string file in Directory.EnumerateFiles(_folder))
            {
                File.SetUnixFileMode(file, read);
            }

            File.SetUnixFileMode(_folder, read | UnixFileMode.UserWrite | UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute);
        }
    }

    /// <summary>Runs the program, and returns its findings by name.</summary>
    /// <param name="command">The command of the program.</param>
    /// <param name="launcher">The program that runs it and the arguments of that program, which the command line follows.</param>
    public Dictionary<string, string> Run(string command, params string[] launcher)
    {
        string[] line = [.. launcher, Tool.DotnetPath, Path.Combine(_folder, "HelperApp.dll"), command];
        // Disables the debugger's socket and its threads.
        var environment = new Dictionary<string, string?> { ["DOTNET_EnableDiagnostics"] = "0" };
        return Tool.Run(line[0], _folder, environment, line[1..])
            .Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(finding => finding.Split('=', 2))
            .ToDictionary(finding => finding[0], finding => finding[1]);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
