using System.Text.RegularExpressions;
using Picollo.Profiling;
using Picollo.Profiling.Tests;

namespace Picollo.Peers.Tests.Pprof;

/// <summary>Tests that Go's pprof reads the output of <see cref="CpuProfile.WritePprof"/>.</summary>
[Trait("Category", "Slow")]
public partial class GoPprofTests
{
    private static readonly CpuProfile Profile = Profiles.Of("Main;Work 60", "Main;Rest 30", "Main 10");

    [FactNeeding(Need.Go)]
    public void Pprof_prints_the_table_of_functions_and_the_whole_profile()
    {
        string top = Pprof(Profile, "-top");

        top.Should().Contain("File: app (process 42)").And.Contain("Type: cpu").And.Contain("Duration: 5s, Total samples = 1000ms (20.00%)");
        Rows(top).Should().Equal("600ms 60.00% 60.00% 600ms 60.00% Work", "300ms 30.00% 90.00% 300ms 30.00% Rest", "100ms 10.00% 100% 1000ms 100% Main");
        Rows(Pprof(Profile, "-top", "-sample_index=samples"))
            .Should().Equal("60 60.00% 60.00% 60 60.00% Work", "30 30.00% 90.00% 30 30.00% Rest", "10 10.00% 100% 100 100% Main");

        string raw = Pprof(Profile, "-raw");
        raw.Should().Contain("PeriodType: cpu nanoseconds\nPeriod: 10000000\n").And.Contain("samples/count cpu/nanoseconds[dflt]\n");
        Samples(raw).Should().BeEquivalentTo("60 600000000: Work < Main", "30 300000000: Rest < Main", "10 100000000: Main");
        raw.Should().Contain("Mappings\n1: 0x100000000/0x200000000/0x0 app (process 42)  [FN]\n2: 0x200000000/0x300000000/0x0 App.dll  [FN]\n");
        Pprof(Profile, "-comments").Should().Be("app (process 42)\n");
    }

    [FactNeeding(Need.Go)]
    public void Pprof_reads_profiles_with_hostile_names() => Seeded.Run(5, random =>
    {
        CpuProfile profile = Profiles.Random(random);

        string raw = Pprof(profile, "-raw");

        Samples(raw).Sum(sample => long.Parse(sample.Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture)).Should().Be(profile.SampleCount);
        raw.Count(character => char.IsControl(character) && character is not '\n' and not '\t').Should().Be(0);
    });

    [FactNeeding(Need.Go)]
    public void Profiles_of_pprof_and_of_a_Go_program_are_read()
    {
        string folder = Directory.CreateTempSubdirectory("picollo-go-").FullName;
        try
        {
            string path = Path.Combine(folder, "written.pb.gz");
            Pprof(Profile, "-proto", $"-output={path}");
            CpuProfile read = Read(path);
            read.GetMethods().Select(method => (method.Frame, method.OwnValue, method.Value))
                .Should().Equal(Profile.GetMethods().Select(method => (method.Frame, method.OwnValue, method.Value)));
            (read.Title, read.Frequency, read.Duration, read.StartTime).Should().Be((Profile.Title, Profile.Frequency, Profile.Duration, Profile.StartTime));

            File.WriteAllText(Path.Combine(folder, "main.go"), GoProgram);
            Dictionary<string, string?> environment = new() { ["GOCACHE"] = Path.Combine(folder, "cache"), ["GO111MODULE"] = "off", ["GOFLAGS"] = null };
            Tool.Run("go", folder, environment, ["run", "main.go"]);

            CpuProfile cpu = Read(Path.Combine(folder, "cpu.pb.gz"));
            cpu.Title.Should().Be("main");
            (cpu.Frequency, cpu.SampleType, cpu.SampleUnit).Should().Be((100, "cpu", "samples"));
            cpu.GetMethods().Should().Contain(method => method.Frame.Name == "main.work" && method.Value > 10)
                .And.Contain(method => method.Frame.Name == "main.main");
            Read(Path.Combine(folder, "heap.pb.gz")).Value.Should().BePositive();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private const string GoProgram =
        """
        package main

        import (
            "os"
            "runtime"
            "runtime/pprof"
        )

        var sum int
        var kept [][]byte

        //go:noinline
        func work() {
            for i := 0; i < 1000000000; i++ {
                sum += i
            }
        }

        func main() {
            runtime.MemProfileRate = 1
            cpu, _ := os.Create("cpu.pb.gz")
            pprof.StartCPUProfile(cpu)
            work()
            pprof.StopCPUProfile()
            for i := 0; i < 100; i++ {
                kept = append(kept, make([]byte, 1000))
            }
            heap, _ := os.Create("heap.pb.gz")
            pprof.WriteHeapProfile(heap)
        }

        """;

    private static CpuProfile Read(string path)
    {
        using FileStream file = File.OpenRead(path);
        return CpuProfile.ReadPprof(file);
    }

    private static string Pprof(CpuProfile profile, params string[] arguments)
    {
        using MemoryStream file = new();
        profile.WritePprof(file);
        return RunPprof(file.ToArray(), arguments);
    }

    /// <summary>Runs pprof with the content of a file. Ignores the user's settings, and does not look for the modules.</summary>
    internal static string RunPprof(byte[] profile, params string[] arguments)
    {
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(path, profile);
            Dictionary<string, string?> environment = new() { ["PPROF_BINARY_PATH"] = "/nonexistent", ["HOME"] = Path.GetTempPath() };
            return Tool.Run("go", Path.GetTempPath(), environment, ["tool", "pprof", .. arguments, path]);
        }
        finally
        {
            File.Delete(path);
        }
    }

    /// <summary>Returns the rows of <c>-top</c>, with single spaces.</summary>
    private static IEnumerable<string> Rows(string top) =>
        top.TrimEnd().Split('\n').SkipWhile(line => !line.Contains("flat%", StringComparison.Ordinal)).Skip(1).Select(line => Blanks().Replace(line.Trim(), " "));

    /// <summary>Returns the samples of <c>-raw</c> with the names of their locations.</summary>
    private static string[] Samples(string raw)
    {
        string[] lines = raw.Split('\n');
        Dictionary<string, string> locations = lines.SkipWhile(line => line != "Locations").Skip(1).TakeWhile(line => line != "Mappings")
            .Select(line => Location().Match(line)).ToDictionary(match => match.Groups["id"].Value, match => match.Groups["name"].Value);
        return
        [
            .. lines.SkipWhile(line => !line.StartsWith("samples/count", StringComparison.Ordinal)).Skip(1).TakeWhile(line => line != "Locations")
                .Select(line => Blanks().Replace(line.Trim(), " ").Split(": "))
                .Select(parts => $"{parts[0]}: {string.Join(" < ", parts[1].Split(' ').Select(id => locations[id]))}"),
        ];
    }

    [GeneratedRegex(" +")]
    private static partial Regex Blanks();

    [GeneratedRegex(@"^ +(?<id>\d+): 0x[0-9a-f]+ M=\d+ (?<name>.*) [^ ]*:0(:0)? s=0")]
    private static partial Regex Location();
}
