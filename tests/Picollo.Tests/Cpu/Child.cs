using System.Diagnostics;

namespace Picollo.Tests.Cpu;

/// <summary>Processes of the system's own shell, for tests that look at another process.</summary>
internal static class Child
{
    /// <summary>One that keeps a CPU busy until it is killed.</summary>
    public static Process Busy() => OperatingSystem.IsWindows()
        ? Start("cmd.exe", "/c", "for /L %i in (1,0,2) do @rem")
        : Start("/bin/sh", "-c", "while :; do :; done");

    /// <summary>One that has computed for some tenths of a second, has ended and has been waited for; it says itself what it took
    /// (the shell's "times").</summary>
    public static string RunToItsEnd()
    {
        using Process child = Start("/bin/sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times");
        string output = child.StandardOutput.ReadToEnd();
        child.WaitForExit();
        return output;
    }

    /// <summary>Ends it and waits for that.</summary>
    public static void End(Process child)
    {
        child.Kill(entireProcessTree: true);
        child.WaitForExit();
    }

    private static Process Start(string program, params string[] arguments) =>
        Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
}
