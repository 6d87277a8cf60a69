using System.Buffers.Binary;
using System.Globalization;
using System.Xml.Linq;
using Picollo.Cli.Jitter;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>Tests of <c>picollo jitter samples</c> and <c>picollo jitter plot --samples</c> with artificial and real samples.</summary>
public sealed class JitterSamplesTests : FolderTests
{
    // The layout of jitterdebugger: CPU, seconds, nanoseconds, latency.
    private static readonly (uint Cpu, long Seconds, long Nanoseconds, ulong Latency)[] Three =
        [(0, 1114, 0x3709_0A0B, 9), (1, 1114, 0x0000_0001, 3), (0, 1115, 0, 77)];

    private string Samples => Folder.PathOf("samples.raw");

    [Fact]
    public void Lines_after_the_header_have_the_format_of_jittersamples()
    {
        File.WriteAllBytes(Samples, Bytes([.. Three, (8191, 5, 999_999_999, 5_999_999)]));
        ToolRun expected = new(0, "cpu;time_s;latency_us\n0;1114.923339275;9\n1;1114.000000001;3\n0;1115.000000000;77\n8191;5.999999999;5999999\n", "");

        PicolloTool.RunHere("jitter", "samples", Samples).Should().Be(expected);
        PicolloTool.RunHere("jitter", "samples", Folder.Path).Should().Be(expected, "a folder can be specified, too");
        File.WriteAllBytes(Samples, []);
        PicolloTool.RunHere("jitter", "samples", Samples).Should().Be(new ToolRun(0, "cpu;time_s;latency_us\n", ""));
        PicolloTool.RunHere("jitter", "plot", Samples, "--samples")
            .Should().Be(new ToolRun(1, "", $"picollo: {Samples}: the file contains no samples\n"));
    }

    [Theory]
    [InlineData("samples.raw", 1, "ns", "")]
    [InlineData("samples.raw", 1000, "us", "")]
    [InlineData("samples.raw", 1000, "ns", "-N")]
    [InlineData("other.raw", 1, "us", "")]
    [InlineData("other.raw", 1000, "ns", "-N")]
    public void The_unit_is_read_from_the_results_unless_it_is_specified(string name, int resolution, string unit, string option)
    {
        File.WriteAllBytes(Folder.PathOf(name), Bytes(Three));
        File.WriteAllText(Folder.PathOf("results.json"), $$"""{ "sysinfo": { "resolution_in_ns": {{resolution}} }, "cpu": {} }""");

        ToolRun run = PicolloTool.RunHere(["jitter", "samples", Folder.PathOf(name), .. option.Length > 0 ? [option] : Array.Empty<string>()]);

        run.Output.Split('\n')[0].Should().Be($"cpu;time_s;latency_{unit}");
        run.ExitCode.Should().Be(0);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(27)]
    public void A_truncated_file_is_rejected_with_its_offset_before_printing(int rest)
    {
        byte[] bytes = Bytes(Three);
        File.WriteAllBytes(Samples, bytes[..(56 + rest)]);
        string problem = $"offset 56: the last sample is incomplete: {rest} of 28 bytes\n";

        PicolloTool.RunHere("jitter", "samples", Samples).Should().Be(new ToolRun(1, "", $"picollo: {Samples}: {problem}"));
        PicolloTool.RunHere("jitter", "plot", Folder.Path, "--samples").Should().Be(new ToolRun(1, "", $"picollo: {Samples}: {problem}"));
    }

    [Theory]
    [InlineData(8192u, 5L, 0L, 1UL, "invalid CPU 8192")]
    [InlineData(4_294_967_295u, 5L, 0L, 1UL, "invalid CPU 4294967295")]
    [InlineData(0u, -1L, 0L, 1UL, "invalid time of -1 s and 0 ns")]
    [InlineData(0u, long.MaxValue, 0L, 1UL, "invalid time of 9223372036854775807 s and 0 ns")]
    [InlineData(0u, 5L, 1_000_000_000L, 1UL, "invalid time of 5 s and 1000000000 ns")]
    [InlineData(0u, 5L, -1L, 1UL, "invalid time of 5 s and -1 ns")]
    [InlineData(0u, 5L, 0L, 5_000_001UL, "invalid latency of 5000001 at 5 s")]
    public void A_damaged_sample_is_reported_with_its_offset_after_the_valid_samples(uint cpu, long seconds, long nanoseconds, ulong latency, string what)
    {
        const int Before = 4_321; // more than a block
        File.WriteAllBytes(Samples, Bytes([.. Enumerable.Repeat(Three[2], Before), (cpu, seconds, nanoseconds, latency), .. Three]));

        ToolRun run = PicolloTool.RunHere("jitter", "samples", Samples);

        run.Error.Should().Be($"picollo: {Samples}: offset {Before * 28}: {what}: the file is damaged or does not contain samples\n");
        (run.ExitCode, run.Output.Split('\n').Length).Should().Be((1, 1 + Before + 1));
    }

    [Fact]
    public void Missing_and_damaged_files_are_reported_in_one_line()
    {
        PicolloTool.RunHere("jitter", "samples", Folder.Path).Should().Be(new ToolRun(1, "", $"picollo: {Samples}: No such file or directory\n"));
        PicolloTool.RunHere("jitter", "plot", Folder.Path, "--samples").Should().Be(new ToolRun(1, "", $"picollo: {Samples}: No such file or directory\n"));
        PicolloTool.RunHere("jitter", "samples", "").Should().Be(new ToolRun(1, "", "picollo: : No such file or directory\n"));
        File.WriteAllBytes(Samples, Bytes(Three));
        File.WriteAllText(Folder.PathOf("results.json"), """{ "sysinfo": { "resolution_in_ns": 0 } }""");
        PicolloTool.RunHere("jitter", "samples", Folder.Path)
            .Should().Be(new ToolRun(1, "", $"picollo: {Folder.PathOf("results.json")}: not a jitter results file: unsupported resolution of 0 ns\n"));
    }

    [FactNeeding(Need.Linux)]
    public void A_plot_has_a_line_for_each_CPU_with_latencies_over_time()
    {
        // A sample per millisecond for 2 s, with a peak on CPU 2 at 1.5 s. As in real files, the batches of the CPUs alternate.
        File.WriteAllBytes(Samples, Bytes(
            [.. Enumerable.Range(0, 4_000).Select(i => ((uint)(i / 2_000 * 2), 100 + (i % 2_000 / 1_000), i % 1_000 * 1_000_000L, i == 3_500 ? 450UL : 20))]));

        PicolloTool.RunHere("jitter", "plot", Folder.Path, "--samples").Should().Be(new ToolRun(0, "", $"wrote {Folder.PathOf("samples.svg")}\n"));

        string[] tooltips = Tooltips(Folder.PathOf("samples.svg"));
        tooltips.Should().HaveCount(190).And.OnlyContain(text => text.Contains("\nCPU 0: 20 µs\nCPU 2: ", StringComparison.Ordinal));
        string peak = tooltips.Should().ContainSingle(text => text.EndsWith("450 µs", StringComparison.Ordinal)).Which;
        double[] range = [.. peak.Split(" s", 3)[..2].Select(text => double.Parse(text.Trim(' ', '–'), CultureInfo.InvariantCulture))];
        range[0].Should().BeLessThanOrEqualTo(1.5);
        range[1].Should().BeGreaterThanOrEqualTo(1.5);
        PicolloTool.RunHere("jitter", "plot", Samples, "--samples", "-o", Folder.PathOf("x.svg"), "--title", "Mine").ExitCode.Should().Be(0);
        File.WriteAllBytes(Folder.PathOf("one"), Bytes(Three[0]));
        PicolloTool.RunHere("jitter", "plot", Folder.PathOf("one"), "--samples", "-o", Folder.PathOf("one.svg")).ExitCode.Should().Be(0);
        Tooltips(Folder.PathOf("one.svg")).Should().Equal("0 – 1 ns\nCPU 0: 9 µs");
        File.ReadAllText(Folder.PathOf("x.svg")).Should().Contain(">Mine</text>").And.Contain(">CPU 2</text>").And.Contain(">seconds since the first sample</text>");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_pipe_is_read_once_and_cannot_be_plotted()
    {
        File.WriteAllBytes(Samples, Bytes(Three));

        PicolloTool.RunInShell($"cat {Samples} | $picollo jitter samples -").Output
            .Should().Be("cpu;time_s;latency_us\n0;1114.923339275;9\n1;1114.000000001;3\n0;1115.000000000;77\n");
        PicolloTool.RunInShell($"cat {Samples} | $picollo jitter plot - --samples -o {Folder.PathOf("x.svg")}")
            .Should().Be(new ToolRun(1, "", "picollo: -: a plot requires a file, because it reads the samples twice\n"));
        PicolloTool.RunInShell($"head -c 57 {Samples} | $picollo jitter samples -").Should().Be(new ToolRun(
            1,
            "cpu;time_s;latency_us\n0;1114.923339275;9\n1;1114.000000001;3\n",
            "picollo: standard input: offset 56: the last sample is incomplete: 1 of 28 bytes\n"), "the end of a pipe is detected only after the valid samples");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Real_samples_match_the_counts_and_extremes_of_the_results()
    {
        string results = Folder.PathOf("results");
        PicolloTool.Run("jitter", "-a", "0", "-l", "400", "-i", "500us", "-N", "-s", "-o", results).ExitCode.Should().Be(0);

        ToolRun run = PicolloTool.Run("jitter", "samples", results);

        (run.ExitCode, run.Error).Should().Be((0, ""));
        string[] lines = run.Output.TrimEnd('\n').Split('\n');
        lines[0].Should().Be("cpu;time_s;latency_ns");
        string[][] cells = [.. lines[1..].Select(line => line.Split(';'))];
        cells.Should().HaveCount(400).And.OnlyContain(row => row.Length == 3 && row[0] == "0");
        cells.Select(row => decimal.Parse(row[1], CultureInfo.InvariantCulture)).Should().BeInAscendingOrder();
        var cpu = JitterCommandTests.Results(results).GetProperty("cpu").GetProperty("0");
        ulong[] latencies = [.. cells.Select(row => ulong.Parse(row[2], CultureInfo.InvariantCulture))];
        (latencies.Min(), latencies.Max()).Should().Be((cpu.GetProperty("min_ns").GetUInt64(), cpu.GetProperty("max_ns").GetUInt64()));
        PicolloTool.RunInShell($"$picollo jitter samples {results} | $picollo hist --column latency_ns --json | grep -o '\"count\":400'").Output.Should().Be("\"count\":400\n");
        PicolloTool.Run("jitter", "plot", results, "--samples").Should().Be(new ToolRun(0, "", $"wrote {results}/samples.svg\n"));
        Tooltips(Path.Combine(results, "samples.svg")).Should().HaveCount(190).And.OnlyContain(text => text.Contains("\nCPU 0: ", StringComparison.Ordinal) || !text.Contains('\n'));
        PicolloTool.Run("jitter", "-a", "0", "-l", "10", "-o", results, "--force").ExitCode.Should().Be(0);
        File.Exists(Path.Combine(results, "samples.svg")).Should().BeFalse("the picture shows the removed samples");
    }

    private static byte[] Bytes(params (uint Cpu, long Seconds, long Nanoseconds, ulong Latency)[] samples)
    {
        byte[] bytes = new byte[samples.Length * SampleFile.SampleLength];
        for (int i = 0; i < samples.Length; i++)
        {
            Span<byte> sample = bytes.AsSpan(i * SampleFile.SampleLength);
            BinaryPrimitives.WriteUInt32LittleEndian(sample, samples[i].Cpu);
            BinaryPrimitives.WriteInt64LittleEndian(sample[4..], samples[i].Seconds);
            BinaryPrimitives.WriteInt64LittleEndian(sample[12..], samples[i].Nanoseconds);
            BinaryPrimitives.WriteUInt64LittleEndian(sample[20..], samples[i].Latency);
        }

        return bytes;
    }

    private static string[] Tooltips(string picture) =>
        [.. XDocument.Load(picture).Descendants().Where(one => one.Name.LocalName == "rect").Select(strip => strip.Elements().Single().Value)];
}
