using System.Diagnostics;
using System.Globalization;

namespace Picollo.Profiling.Tests;

/// <summary>A profiled process of tests/HelperApp (its Profiled.cs).</summary>
internal sealed class ProfiledProcess : IDisposable
{
    private readonly Process _process;

    private ProfiledProcess(Process process) => _process = process;

    public int Id => _process.Id;

    /// <summary>Starts the process and waits until it works.</summary>
    /// <param name="command">The command of the program.</param>
    /// <param name="environment">Variables in addition to those of this process.</param>
    public static ProfiledProcess Start(string command, Dictionary<string, string>? environment = null)
    {
        string[] line = Tool.HelperApp(command);
        var start = new ProcessStartInfo(line[0], line[1..]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        foreach ((string name, string value) in environment ?? [])
        {
            start.Environment[name] = value;
        }

        var process = new ProfiledProcess(Process.Start(start)!);
        process._process.StandardOutput.ReadLine().Should().Be($"ready={process.Id}");
        return process;
    }

    /// <summary>Profiles the process until it has a number of samples, or until it has ended.</summary>
    public CpuProfile Profile(CpuProfilerOptions options, long samples)
    {
        options = options.Copy();
        options.ProcessId = Id;
        using CpuProfiler profiler = CpuProfiler.Start(options);
        while (profiler.SampleCount < samples && !_process.HasExited)
        {
            Thread.Sleep(20);
        }

        return profiler.Stop();
    }

    /// <summary>Starts a profiler of the process with many samples.</summary>
    public CpuProfiler StartProfiler() => CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999, ProcessId = Id });

    /// <summary>Lets the process continue or end, and returns its measurements: nanoseconds by method.</summary>
    public Dictionary<string, long> End()
    {
        _process.StandardInput.WriteLine();
        Dictionary<string, long> times = _process.StandardOutput.ReadToEnd()
            .Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => line.Split('='))
            .Where(finding => finding[0] != "ready")
            .ToDictionary(finding => finding[0], finding => long.Parse(finding[1], CultureInfo.InvariantCulture));
        _process.WaitForExit();
        _process.ExitCode.Should().Be(0);
        return times;
    }

    /// <summary>Writes a line to its standard input.</summary>
    public void Continue() => _process.StandardInput.WriteLine();

    /// <summary>Sends the process a signal, by name.</summary>
    public void Signal(string name) => Tool.Run("kill", "/", new Dictionary<string, string?>(), $"-{name}", $"{Id}");

    public void WaitForExit() => _process.WaitForExit();

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
            _process.WaitForExit();
        }

        _process.Dispose();
    }
}
