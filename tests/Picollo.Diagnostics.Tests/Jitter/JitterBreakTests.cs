namespace Picollo.Diagnostics.Tests;

public class JitterBreakTests
{
    /// <summary>32 bits hold 4.29 s.</summary>
    [Fact]
    public async Task A_latency_of_seconds_is_reported_and_marked_in_full()
    {
        string folder = Directory.CreateTempSubdirectory("picollo-trace-").FullName;
        string marker = Path.Combine(folder, "trace_marker");
        File.WriteAllText(marker, string.Empty);
        var system = new ScriptedJitterSystem { All = [0], Scripts = { [0] = new JitterScript(5_000_000_000) }, TracingFolders = [folder] };
        JitterMeterOptions options = new() { BreakAbove = TimeSpan.FromSeconds(4.9) };
        JitterMeter.TryStart(system, options, JitterPlan.For(options), out JitterMeter? meter, out string? reason).Should().BeTrue(reason);
        using (meter)
        {
            await meter!.Completion.WaitAsync(TimeSpan.FromSeconds(60));

            meter.Break.Should().Be(new JitterBreak(0, 5_000_000_000, null));
            File.ReadAllText(marker).Should().Be("picollo jitter: CPU 0: latency 5000000000 ns\n");
        }

        Directory.Delete(folder, recursive: true);
    }
}
