using Picollo.Cpu.Linux;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests the effect of a break on the kernel's trace, which is a folder of files here.</summary>
public sealed class JitterBreakTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-trace-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private string Marker => Path.Combine(_folder, "trace_marker");

    private string TracingOn => Path.Combine(_folder, "tracing_on");

    /// <summary>A 32-bit number of nanoseconds would hold only 4.29 s.</summary>
    [Fact]
    public async Task A_latency_of_seconds_is_reported_and_marked_and_stops_the_trace()
    {
        File.WriteAllText(Marker, "");
        File.WriteAllText(TracingOn, "1\n");

        JitterBreak found = await BreakAt(5_000_000_000);

        found.Should().Be(new JitterBreak(0, 5_000_000_000, null, null));
        (found.IsMarked, found.IsTracingStopped).Should().Be((true, true));
        File.ReadAllText(Marker).Should().Be("picollo jitter: CPU 0: latency 5000000000 ns\n");
        File.ReadAllText(TracingOn).Should().Be("0\n");
    }

    /// <summary>Both files are the same file here, and each write starts at its beginning.</summary>
    [FactNeeding(Need.Linux)]
    public async Task The_mark_is_written_before_the_trace_is_stopped()
    {
        File.WriteAllText(TracingOn, "");
        File.CreateSymbolicLink(Marker, TracingOn);

        await BreakAt(5_000_000_000);

        File.ReadAllText(TracingOn).Should().Be("0\ncollo jitter: CPU 0: latency 5000000000 ns\n");
    }

    [Fact]
    public async Task A_trace_that_is_missing_or_cannot_be_stopped_is_reported()
    {
        JitterBreak found = await BreakAt(5_000_000_000);
        found.MarkUnavailableReason.Should().Be($"tracefs is not mounted: {LinuxRights.Read().MountTracing}.");
        found.StopUnavailableReason.Should().Be(found.MarkUnavailableReason);

        File.WriteAllText(Marker, "");
        Directory.CreateDirectory(TracingOn); // a directory cannot be written
        found = await BreakAt(5_000_000_000);
        (found.IsMarked, found.IsTracingStopped).Should().Be((true, false));
        found.StopUnavailableReason.Should().StartWith($"{TracingOn} cannot be written (").And.EndWith(LinuxRights.Read().WriteTracing);
    }

    [TheoryNeeding(Need.Linux)]
    [InlineData("0\n", "Tracing is off. Run `echo 1 > {0}` as root.")]
    [InlineData("1\n", "{1} was not written: No space left on device*")]
    public async Task The_reason_for_a_refused_mark_reports_a_trace_that_is_off(string state, string expected)
    {
        File.CreateSymbolicLink(Marker, "/dev/full");
        File.WriteAllText(TracingOn, state);

        JitterBreak found = await BreakAt(5_000_000_000);

        found.MarkUnavailableReason.Should().Match(string.Format(System.Globalization.CultureInfo.InvariantCulture, expected, TracingOn, Marker));
        found.IsTracingStopped.Should().BeTrue();
    }

    private async Task<JitterBreak> BreakAt(long nanoseconds)
    {
        var system = new ScriptedJitterSystem { All = [0], Scripts = { [0] = new JitterScript((ulong)nanoseconds) }, TracingFolders = [_folder] };
        JitterMeterOptions options = new() { BreakAbove = TimeSpan.FromSeconds(4.9) };
        JitterMeter.TryStart(system, options, JitterPlan.FromOptions(options), out JitterMeter? meter, out MeasurementUnavailableException? failure).Should().BeTrue(failure?.Message);
        using (meter)
        {
            await meter!.Completion.WaitAsync(TimeSpan.FromSeconds(60));
            return meter.Break!;
        }
    }
}
