using System.Diagnostics;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>Runs the checker of Prometheus.</summary>
internal static class Promtool
{
    /// <summary>Runs promtool with a standard input. Returns its exit code, which is 3 if there are only warnings about style, and its output.</summary>
    public static (int ExitCode, string Output) Run(byte[] input, params string[] arguments) => Run("promtool", input, arguments);

    /// <summary>Runs another checker with a standard input.</summary>
    public static (int ExitCode, string Output) Run(string program, byte[] input, params string[] arguments)
    {
        ProcessStartInfo start = new(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> errors = process.StandardError.ReadToEndAsync();
        try
        {
            using Stream stream = process.StandardInput.BaseStream;
            stream.Write(input);
        }
        catch (IOException)
        {
            // The checker stopped reading at an error, and prints the error.
        }

        process.WaitForExit();
        return (process.ExitCode, output.Result + errors.Result);
    }
}
