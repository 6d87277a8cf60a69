using System.Diagnostics;
using System.Globalization;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Tests.Symbols;

/// <summary>Tests perf maps that a program has written without a request. They are always in /tmp.</summary>
[Trait("Category", "Slow")]
public sealed class PerfMapFileTests : IDisposable
{
    private const string Everything = "1 7fffffffffff JS:*work app.js:1:2\n";

    private readonly Process _process;
    private readonly string _path;

    public PerfMapFileTests()
    {
        _process = Process.Start("sh", ["-c", OperatingSystem.IsLinux() ? "while :; do :; done" : ""]);
        _path = string.Create(CultureInfo.InvariantCulture, $"/tmp/perf-{_process.Id}.map");
    }

    public void Dispose()
    {
        File.Delete(_path);
        _process.Kill();
        _process.Dispose();
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_map_that_is_written_during_the_profile_is_read()
    {
        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { ProcessId = _process.Id, Frequency = 999 });
        File.WriteAllText(_path, Everything);
        SpinWait.SpinUntil(() => profiler.SampleCount >= 20);

        CpuProfile profile = profiler.Stop();
        profile.GetMethods().Should().ContainSingle(method => method.Frame.Name == "JS:*work app.js:1:2").Which.Frame.Kind
            .Should().Be(CpuProfileFrameKind.Native);
        profile.Notes.Should().BeEmpty();
        File.Exists(_path).Should().BeTrue("it belongs to the program");
    }

    [FactNeeding(Need.Linux)]
    public void Only_a_current_file_of_the_user_is_read_and_a_pipe_is_not_waited_for()
    {
        File.WriteAllText(_path, Everything);
        NameOf().Should().Be("JS:*work app.js:1:2");
        File.SetLastWriteTimeUtc(_path, DateTime.UtcNow - TimeSpan.FromHours(1));
        NameOf().Should().BeNull("an earlier process left it behind");
        if (Needs.WhyNot(Need.Root) is null)
        {
            File.WriteAllText(_path, Everything);
            Tool.Run("chown", "/", new Dictionary<string, string?>(), "12345", _path);
            NameOf().Should().BeNull("it belongs to another user");
        }

        string target = Path.GetTempFileName();
        File.WriteAllText(target, Everything);
        File.Delete(_path);
        File.CreateSymbolicLink(_path, target);
        NameOf().Should().BeNull("it is a link");
        File.Delete(target);
        File.Delete(_path);
        Tool.Run("mkfifo", "/", new Dictionary<string, string?>(), _path);
        NameOf().Should().BeNull();
    }

    private string? NameOf()
    {
        using PerfMapFile? file = PerfMapFile.TryOpenWritten(new ProcessFiles(_process.Id));
        return file?.Read(new ReadBudget()).NameAt(0x1000);
    }
}
