using System.Xml.Linq;
using Picollo.Cli.Jitter;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>Tests of <c>picollo jitter plot</c> with artificial results and with results of jitterdebugger.</summary>
public sealed class JitterPlotTests : FolderTests
{
    // Results in the format of jitterdebugger 0.3.
    private const string Jitterdebuggers = """
        {
          "version": 3,
          "sysinfo": { "sysname": "Linux", "cpus_online": 2, "resolution_in_ns": 1000 },
          "cpu": {
            "0": { "histogram": { "14": 900, "15": 99, "999": 1 }, "count": 1001, "min": 14, "max": 14000, "avg": 14.13 },
            "1": { "histogram": {
              }, "count": 0, "min": 18446744073709551615, "max": 0, "avg": 0 }
          }
        }
        """;

    [FactNeeding(Need.Linux)]
    public void A_page_is_written_to_the_folder_of_the_results()
    {
        Save(ArtificialResults.Full);
        string page = Plot();
        page.Should().StartWith("<!DOCTYPE html>").And.Contain("CPU 0").And.Contain("CPU 12").And.Contain("all CPUs").And.Contain("µs");
        page.Should().MatchRegex("<h1>Wake-up latency, host, 2026-11-22 01:02 UTC, every 250 µs, no real-time priority.*load: stress-ng --cpu 0", "the heading must distinguish the page from others");
        page.Should().NotContain("Difference", "the CPUs of one measurement are not compared");

        Save(ArtificialResults.Result(ArtificialResults.Cpu(0, count: 0), ArtificialResults.Cpu(1, count: 0)));
        Plot().Should().Contain("CPU 1").And.NotContain("NaN");

        string Plot()
        {
            PicolloTool.RunHere("jitter", "plot", Folder.Path).Should().Be(new ToolRun(0, "", $"wrote {Folder.PathOf("jitter.html")}\n"));
            return File.ReadAllText(Folder.PathOf("jitter.html"));
        }
    }

    [FactNeeding(Need.Linux)]
    public void A_picture_has_a_histogram_and_percentiles()
    {
        Save(ArtificialResults.Result(ArtificialResults.Cpu(0), ArtificialResults.Cpu(1)));

        PicolloTool.RunHere("jitter", "plot", Folder.Path + "/", "-o", Folder.PathOf("x.svg")).Should().Be(new ToolRun(0, "", $"wrote {Folder.PathOf("x.svg")}\n"));

        XDocument picture = XDocument.Load(Folder.PathOf("x.svg"));
        string[] texts = [.. picture.Descendants().Where(one => one.Name.LocalName == "text").Select(one => one.Value)];
        texts.Should().ContainSingle(text => text.StartsWith("Wake-up latency, host, 20", StringComparison.Ordinal));
        texts.Should().Contain(["time, logarithmic", "percentile, %", "CPU 0", "CPU 1"]);
        PicolloTool.RunHere("jitter", "plot", Folder.Path, "-o", Folder.PathOf("x.svg"), "--title", "Night & day").Should().Be(new ToolRun(0, "", $"wrote {Folder.PathOf("x.svg")}\n"));
        File.ReadAllText(Folder.PathOf("x.svg")).Should().Contain(">Night &amp; day</text>");
    }

    [Theory]
    [InlineData("", "")]
    [InlineData("\uFEFF", "\"count\": 12.0, ")] // members that are not plotted may have any content
    [InlineData("", "\"min\": 4.5, \"max\": \"none\", ")]
    public void Results_of_jitterdebugger_are_read_as_the_midpoints_of_microseconds(string before, string members)
    {
        File.WriteAllText(
            Folder.PathOf("results.json"), before + Jitterdebuggers.Replace("\"histogram\"", members + "\"histogram\"", StringComparison.Ordinal));

        var series = SavedResults.Read(Folder.Path);

        series.Select(one => (one.Key, one.Value.TotalCount)).Should().Equal(("CPU 0", 1000UL), ("CPU 1", 0UL));
        series[0].Value.GetPercentileValue(50).Should().BeCloseTo(14_500, 15);
    }

    [FactNeeding(Need.Linux)]
    public void A_CPU_without_wake_ups_whose_mean_is_not_a_number_is_empty()
    {
        foreach (string mean in (string[])["-nan", "nan"])
        {
            File.WriteAllText(
                Folder.PathOf("results.json"),
                Jitterdebuggers.Replace("\"avg\": 0 ", $"\"avg\": {mean}\n", StringComparison.Ordinal)
                    .Replace("\"sysname\"", "\"nodename\": \"banana: -nan\", \"sysname\"", StringComparison.Ordinal));

            SavedResults.Read(Folder.Path).Select(one => (one.Key, one.Value.TotalCount)).Should().Equal(("CPU 0", 1000UL), ("CPU 1", 0UL));
            SavedResults.UnitOf(Folder.Path).Should().Be(1000);
            SavedResults.TitleOf(Folder.Path).Should().Be("Wake-up latency, banana: -nan");
            PicolloTool.RunHere("jitter", "plot", Folder.Path).Should().Be(new ToolRun(0, "", $"wrote {Folder.PathOf("jitter.html")}\n"));
        }
    }

    [Fact]
    public void Results_are_read_from_the_log_or_else_from_the_JSON()
    {
        Save(ArtificialResults.Full);
        ulong exact = ArtificialResults.Full.Cpus[1].Histogram.GetPercentileValue(50);

        foreach (ulong tolerance in (ulong[])[20, 510])
        {
            var series = SavedResults.Read(Folder.Path);
            series.Select(one => (one.Key, one.Value.TotalCount)).Should().Equal(("CPU 0", 20_000), ("CPU 12", 20_000));
            series[1].Value.GetPercentileValue(50).Should().BeCloseTo(exact, tolerance);
            File.Delete(Folder.PathOf("jitter.hlog"));
        }
    }

    [FactNeeding(Need.Linux)]
    public void Damaged_and_missing_results_are_reported_in_one_line()
    {
        foreach ((string name, string content) in ((string, string)[])
        [
            .. ((string[])["", "x", "[]", "{\"cpu\":{}}", .. ((string[])["{}", "7", "{\"histogram\":{\"99999999999999999\":1}}", "{\"histogram\":{\"1\":-1}}"])
                .Select(cpu => $"{{\"cpu\":{{\"0\":{cpu}}}}}"), "{\"cpu\":{\"x\":{\"histogram\":{}}}}"])
                    .Select(json => ("results.json", json)),
            ("jitter.hlog", ""), ("jitter.hlog", "Tag=cpu0,0.000,1.000,2.0,\e[31mXXXX\n"),
        ])
        {
            File.WriteAllText(Folder.PathOf(name), content);
            ToolRun run = PicolloTool.RunHere("jitter", "plot", Folder.Path);

            (run.ExitCode, run.Output).Should().Be((1, ""), content);
            run.Error.Should().StartWith($"picollo: {Folder.PathOf(name)}: ").And.NotContain("\e").And.NotContain("   at ");
            run.Error.TrimEnd('\n').Should().NotContain("\n");
        }

        File.Delete(Folder.PathOf("jitter.hlog"));
        File.Delete(Folder.PathOf("results.json"));
        File.CreateSymbolicLink(Folder.PathOf("results.json"), "/dev/zero");
        Report(Folder.Path).Should().Be($"picollo: {Folder.PathOf("results.json")}: not a jitter results file: the file is too large\n");
        Report("/nonexistent").Should().Be("picollo: /nonexistent/results.json: No such file or directory\n");
        Report("").Should().Be("picollo: results.json: No such file or directory\n");

        static string Report(string folder) => PicolloTool.RunHere("jitter", "plot", folder).Error;
    }

    private void Save(JitterResult result)
    {
        using (FileStream json = File.Create(Folder.PathOf("results.json")))
        {
            ResultFiles.WriteJson(json, result, new SystemNames("Linux", "host", "6.12", "#1 SMP", "x86_64", 16));
        }

        using FileStream log = File.Create(Folder.PathOf("jitter.hlog"));
        ResultFiles.WriteLog(log, result);
    }
}
