using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Picollo.Timing;

namespace Picollo.Benchmarks.Comparison;

/// <summary>Prints the machine, runtime, date and command of a measurement.</summary>
internal static class MachineInfo
{
    private const string CpuInfoPath = "/proc/cpuinfo";

    public static void Print(TextWriter output)
    {
        output.WriteLine($"machine : {Processor()}, {Environment.ProcessorCount} processors, {RuntimeInformation.OSDescription}");
        output.WriteLine($"runtime : {RuntimeInformation.FrameworkDescription}, {RuntimeInformation.ProcessArchitecture}, widest vector {WidestVector()} bits");
        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"date    : {DateTime.UtcNow:yyyy-MM-dd HH:mm} UTC"));
        output.WriteLine($"counter : {(CycleClock.IsCycleCounter ? string.Create(CultureInfo.InvariantCulture, $"{CycleClock.Frequency / 1e6:N0} MHz") : CycleClock.UnavailableReason)}");
        output.WriteLine("command : dotnet run -c Release --project benchmarks/Picollo.Benchmarks -- " + string.Join(' ', Environment.GetCommandLineArgs().Skip(1)));
    }

    private static int WidestVector() =>
        Vector512.IsHardwareAccelerated ? 512 : Vector256.IsHardwareAccelerated ? 256 : 128;

    private static string Processor()
    {
        string? model = File.Exists(CpuInfoPath)
            ? File.ReadLines(CpuInfoPath).FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))
            : Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER");
        return model?[(model.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim() ?? "unknown processor";
    }
}
