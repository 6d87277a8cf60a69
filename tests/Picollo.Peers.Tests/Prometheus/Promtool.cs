using System.Diagnostics;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>Prometheus' checker.</summary>
internal static class Promtool
{
    /// <summary>Runs it with a standard input; gives its exit code, 3 where there are remarks of style alone, and all that it printed.</summary>
    public static (int ExitCode, string Output) Run(byte[] input, params string[] arguments) => Run("promtool", input, arguments);

    /// <summary>Runs another checker in the same way.</summary>
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
            // It stopped reading at a fault, which it prints.
        }

        process.WaitForExit();
        return (process.ExitCode, output.Result + errors.Result);
    }
}
