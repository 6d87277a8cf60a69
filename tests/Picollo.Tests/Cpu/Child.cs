using System.Diagnostics;

namespace Picollo.Tests.Cpu;

/// <summary>Processes of the system's shell, for tests that read another process.</summary>
internal static class Child
{
    /// <summary>Starts a process that keeps a CPU busy until it is killed.</summary>
    public static Process Busy() => OperatingSystem.IsWindows()
        ? Start("cmd.exe", "/c", "for /L %i in (1,0,2) do @rem")
        : Start("/bin/sh", "-c", "while :; do :; done");

    /// <summary>Runs a process that computes for a few tenths of a second, and waits for its end. Returns its own output about its CPU time
    /// (the shell's "times").</summary>
    public static string RunToCompletion()
    {
        using Process child = Start("/bin/sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times");
        string output = child.StandardOutput.ReadToEnd();
        child.WaitForExit();
        return output;
    }

    /// <summary>Kills a process and waits for its end.</summary>
    public static void End(Process child)
    {
        child.Kill(entireProcessTree: true);
        child.WaitForExit();
    }

    private static Process Start(string program, params string[] arguments) =>
        Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
}
