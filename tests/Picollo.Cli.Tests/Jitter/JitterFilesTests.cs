using System.Buffers.Binary;
using System.Runtime.Versioning;
using System.Text;
using System.Text.Json;
using Picollo.Cli.Jitter;
using Picollo.Export;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>Saved files, and folders that are rejected.</summary>
public sealed class JitterFilesTests : FolderTests
{
    private const int SampleLength = 28;

    private string Results => Folder.PathOf("results");

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    [UnsupportedOSPlatform("windows")]
    public void Results_have_the_format_of_jitterdebugger_and_consistent_counts()
    {
        ToolRun run = PicolloTool.Run("jitter", "-a", "0", "-l", "700", "-i", "500", "-o", Results, "-s");

        run.ExitCode.Should().Be(0);
        File.GetUnixFileMode(Results).Should().Be(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        foreach (string name in (string[])["results.json", "jitter.hlog", "samples.raw", "cpus_online", "cpuinfo", "cmdline", "interrupts", "uname"])
        {
            File.GetUnixFileMode(Path.Combine(Results, name)).Should().Be(UnixFileMode.UserRead | UnixFileMode.UserWrite, name);
            new FileInfo(Path.Combine(Results, name)).Length.Should().BeGreaterThan(0, name);
        }

        JsonElement root = JitterCommandTests.Results(Results);
        root.GetProperty("version").GetInt32().Should().Be(3);
        root.GetProperty("sysinfo").GetProperty("resolution_in_ns").GetInt32().Should().Be(1000);
        root.GetProperty("sysinfo").EnumerateObject().Select(one => one.Name).Should().Equal("sysname", "nodename", "release", "version", "machine", "cpus_online", "resolution_in_ns");
        File.ReadAllText(Path.Combine(Results, "uname")).Should().StartWith($"Linux {root.GetProperty("sysinfo").GetProperty("nodename").GetString()} ");
        JsonElement cpu = root.GetProperty("cpu").GetProperty("0");
        cpu.EnumerateObject().Take(5).Select(one => one.Name).Should().Equal("histogram", "count", "min", "max", "avg");
        cpu.GetProperty("count").GetInt64().Should().Be(700);
        cpu.GetProperty("histogram").EnumerateObject().Sum(bucket => bucket.Value.GetInt64()).Should().Be(700, "no sample is outside the histogram");
        (ulong[] latencies, long[] moments) = Samples(File.ReadAllBytes(Path.Combine(Results, "samples.raw")), cpuExpected: 0);
        latencies.Should().HaveCount(700);
        (latencies.Min(), latencies.Max()).Should().Be((cpu.GetProperty("min").GetUInt64(), cpu.GetProperty("max").GetUInt64()));
        moments.Select((moment, i) => (moment / 1000) - (long)latencies[i] - (moments[0] / 1000) + (long)latencies[0])
            .Should().Equal(Enumerable.Range(0, 700).Select(i => i * 500L), (is_, expected) => Math.Abs(is_ - expected) <= 2, "wake-ups are due at fixed intervals");
        using HdrHistogramLogReader log = new(Path.Combine(Results, "jitter.hlog"));
        HdrHistogramLogInterval interval = log.ReadAll().Should().ContainSingle().Which;
        (interval.Tag, interval.Histogram.TotalCount).Should().Be(("cpu0", 700));
    }

    [Fact]
    public void The_results_file_matches_the_golden_file()
    {
        using MemoryStream file = new();

        ResultFiles.WriteJson(file, ArtificialResults.Full, new SystemNames("Linux", "host", "6.12", "#1 SMP", "x86_64", 16));

        string json = Encoding.UTF8.GetString(file.ToArray());
        json.ShouldBeApproved("Jitter/Golden/results.json");
        json.Should().NotContain("\e");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Results_are_replaced_only_with_force_and_other_files_are_kept()
    {
        ToolRun run = PicolloTool.Run("jitter", "-a", "0", "-l", "20", "-s", "-o", Results);
        string names = string.Join(", ", Directory.GetFiles(Results).Select(Path.GetFileName).Order(StringComparer.Ordinal));
        names.Should().Contain("samples.raw");
        run.Error.ReplaceLineEndings(" ").Should().EndWith($"wrote {Results}: {names} ");
        PicolloTool.Run("jitter", "plot", Results).ExitCode.Should().Be(0);
        File.WriteAllText(Path.Combine(Results, "notes"), "mine");

        PicolloTool.Run("jitter", "-a", "0", "-l", "30", "-o", Results)
            .Should().Be(new ToolRun(1, "", $"picollo: {Results}: the directory already contains results; use --force to overwrite them\n"));
        CountOf().Should().Be(20);
        File.Exists(Path.Combine(Results, "jitter.html")).Should().BeTrue();

        PicolloTool.Run("jitter", "-a", "0", "-l", "30", "-o", Results + "/", "--force").ExitCode.Should().Be(0);
        CountOf().Should().Be(30);
        File.ReadAllText(Path.Combine(Results, "notes")).Should().Be("mine");
        Directory.GetFiles(Results, "*.tmp").Should().BeEmpty();
        ((string[])["samples.raw", "jitter.html"])
            .Should().NotContain(name => File.Exists(Path.Combine(Results, name)), "they belong to the replaced results");

        long CountOf() => JitterCommandTests.Results(Results).GetProperty("cpu").GetProperty("0").GetProperty("count").GetInt64();
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_link_instead_of_a_file_is_replaced_and_not_followed()
    {
        Directory.CreateDirectory(Results);
        File.WriteAllText(Folder.PathOf("victim"), "precious");
        foreach (string name in (string[])["results.json", "samples.raw", "uname"])
        {
            File.CreateSymbolicLink(Path.Combine(Results, name), Folder.PathOf("victim"));
        }

        PicolloTool.Run("jitter", "-a", "0", "-l", "20", "-s", "-o", Results, "--force").ExitCode.Should().Be(0);
        File.CreateSymbolicLink(Path.Combine(Results, "jitter.html"), Folder.PathOf("victim"));
        PicolloTool.RunHere("jitter", "plot", Results).ExitCode.Should().Be(0);

        File.ReadAllText(Folder.PathOf("victim")).Should().Be("precious");
        new FileInfo(Path.Combine(Results, "samples.raw")).Should().Match<FileInfo>(file => file.LinkTarget == null && file.Length == 20 * SampleLength);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Invalid_folders_are_reported()
    {
        string there = Folder.PathOf("there");
        Directory.CreateDirectory(there);
        Directory.CreateSymbolicLink(Results, there);
        foreach ((string path, string reason) in ((string, string)[])
        [
            ("", "No such file or directory"), ("/nonexistent/results", "No such file or directory"),
            ("/dev/null", "the path is a link or is not a directory"),
            (Results, "the path is a link or is not a directory"), (Results + "/", "the path is a link or is not a directory"),
        ])
        {
            PicolloTool.Run("jitter", "-l", "1", "-o", path).Should().Be(new ToolRun(1, "", $"picollo: {path}: {reason}\n"));
        }

        Directory.EnumerateFileSystemEntries(there).Should().BeEmpty();
        PicolloTool.RunInShell("$unprivileged jitter -l 1 -o /tmp")
            .Should().Be(new ToolRun(1, "", "picollo: /tmp: the directory belongs to another user\n"));
    }

    [FactNeeding(Need.SmallDisk)]
    [Trait("Category", "Slow")]
    public void A_full_disk_is_reported_and_the_measurement_continues()
    {
        using SmallDisk disk = new(Folder.PathOf("disk"), kilobytes: 1024);
        string results = Path.Combine(disk.Path, "results");

        // About 2 MB of samples.
        ToolRun run = PicolloTool.Run("jitter", "-a", "0", "-i", "10us", "-l", "70000", "-s", "-o", results);

        run.ExitCode.Should().Be(1);
        run.Output.Should().Contain(" C:     70000 ").And.MatchRegex("\nCPU 0( +([0-9.]+|-)){6}\n");
        run.Error.ReplaceLineEndings(" ").Should().Contain("picollo: samples.raw: No space left on device; the measurement continues without saving further samples");
        (new FileInfo(Path.Combine(results, "samples.raw")).Length % SampleLength).Should().Be(0);
        Directory.GetFiles(results, "*.tmp").Should().BeEmpty();
    }

    [Fact]
    public void Samples_are_written_completely_in_order_and_in_the_unit_of_the_results()
    {
        foreach (bool inNanoseconds in (bool[])[false, true])
        {
            const int Batches = 400, InBatch = 50;
            string path = Folder.PathOf($"samples{inNanoseconds}");
            using (SampleFile samples = new(new FileStream(path, FileMode.CreateNew), TimeSpan.FromMilliseconds(1), inNanoseconds))
            {
                for (int i = 0; i < Batches; i++)
                {
                    ulong[] latencies = [.. Enumerable.Range(i * InBatch, InBatch).Select(n => 10_000 + (ulong)n)];
                    samples.Add(3, 5_999_000_000 + (i * InBatch * 1_000_000L), latencies);
                }

                samples.Problem.Should().BeNull();
            }

            (ulong[] read, long[] moments) = Samples(File.ReadAllBytes(path), cpuExpected: 3);
            read.Should().Equal(Enumerable.Range(0, Batches * InBatch).Select(n => (10_000 + (ulong)n) / (inNanoseconds ? 1UL : 1000)));
            moments.Should().Equal(Enumerable.Range(0, Batches * InBatch).Select(n => 5_999_000_000 + (n * 1_000_000L) + 10_000 + n));
        }
    }

    private static (ulong[] Latencies, long[] Moments) Samples(byte[] file, int cpuExpected)
    {
        (file.Length % SampleLength).Should().Be(0);
        byte[][] samples = [.. file.Chunk(SampleLength)];
        samples.All(sample => BinaryPrimitives.ReadInt32LittleEndian(sample) == cpuExpected && BinaryPrimitives.ReadInt64LittleEndian(sample.AsSpan(12)) < 1_000_000_000).Should().BeTrue();
        return (
            [.. samples.Select(sample => BinaryPrimitives.ReadUInt64LittleEndian(sample.AsSpan(20)))],
            [.. samples.Select(sample => (BinaryPrimitives.ReadInt64LittleEndian(sample.AsSpan(4)) * 1_000_000_000) + BinaryPrimitives.ReadInt64LittleEndian(sample.AsSpan(12)))]);
    }
}
