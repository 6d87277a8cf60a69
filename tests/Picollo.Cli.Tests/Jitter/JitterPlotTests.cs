using System.Xml.Linq;
using Picollo.Cli.Jitter;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>Tests of <c>picollo jitter plot</c> with artificial results and with results of jitterdebugger.</summary>
public sealed class JitterPlotTests : IDisposable
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

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_page_is_written_to_the_folder_of_the_results()
    {
        Save(ArtificialResults.Full);

        ToolRun run = PicolloTool.Run("jitter", "plot", _folder.Path);

        run.Should().Be(new ToolRun(0, "", $"wrote {_folder.PathOf("jitter.html")}\n"));
        string page = File.ReadAllText(_folder.PathOf("jitter.html"));
        page.Should().StartWith("<!DOCTYPE html>").And.Contain("CPU 0").And.Contain("CPU 12").And.Contain("all CPUs").And.Contain("µs");
        page.Should().MatchRegex("<h1>Wake-up latency, host, 2026-11-22 01:02 UTC, every 250 µs, no real-time priority.*load: stress-ng --cpu 0", "the heading must distinguish the page from others");
        page.Should().NotContain("Difference", "the CPUs of one measurement are not compared");
    }

    [FactNeeding(Need.Linux)]
    public void A_picture_has_a_histogram_and_percentiles()
    {
        Save(ArtificialResults.Result(ArtificialResults.Cpu(0), ArtificialResults.Cpu(1)));

        PicolloTool.RunHere("jitter", "plot", _folder.Path + "/", "-o", _folder.PathOf("x.svg")).Should().Be(new ToolRun(0, "", $"wrote {_folder.PathOf("x.svg")}\n"));

        XDocument picture = XDocument.Load(_folder.PathOf("x.svg"));
        string[] texts = [.. picture.Descendants().Where(one => one.Name.LocalName == "text").Select(one => one.Value)];
        texts.Should().ContainSingle(text => text.StartsWith("Wake-up latency, host, 20", StringComparison.Ordinal));
        texts.Should().Contain(["time, logarithmic", "percentile, %", "CPU 0", "CPU 1"]);
        PicolloTool.RunHere("jitter", "plot", _folder.Path, "-o", _folder.PathOf("x.svg"), "--title", "Night & day").Should().Be(new ToolRun(0, "", $"wrote {_folder.PathOf("x.svg")}\n"));
        File.ReadAllText(_folder.PathOf("x.svg")).Should().Contain(">Night &amp; day</text>");
    }

    [FactNeeding(Need.Linux)]
    public void Results_without_measurements_can_be_plotted()
    {
        Save(ArtificialResults.Result(ArtificialResults.Cpu(0, count: 0), ArtificialResults.Cpu(1, count: 0)));

        PicolloTool.RunHere("jitter", "plot", _folder.Path).Should().Be(new ToolRun(0, "", $"wrote {_folder.PathOf("jitter.html")}\n"));

        File.ReadAllText(_folder.PathOf("jitter.html")).Should().Contain("CPU 1").And.NotContain("NaN");
    }

    [FactNeeding(Need.Linux)]
    public void A_link_instead_of_the_page_is_not_followed()
    {
        Save(ArtificialResults.Full);
        File.WriteAllText(_folder.PathOf("victim"), "precious");
        File.CreateSymbolicLink(_folder.PathOf("jitter.html"), _folder.PathOf("victim"));

        PicolloTool.RunHere("jitter", "plot", _folder.Path).ExitCode.Should().Be(0);

        File.ReadAllText(_folder.PathOf("victim")).Should().Be("precious");
        File.ReadAllText(_folder.PathOf("jitter.html")).Should().StartWith("<!DOCTYPE html>");
    }

    [Fact]
    public void Results_of_jitterdebugger_are_read_as_the_midpoints_of_microseconds()
    {
        File.WriteAllText(_folder.PathOf("results.json"), Jitterdebuggers);

        var series = SavedResults.Read(_folder.Path);

        series.Select(one => one.Key).Should().Equal("CPU 0", "CPU 1");
        series[0].Value.TotalCount.Should().Be(1000);
        series[0].Value.GetPercentileValue(50).Should().BeCloseTo(14_500, 15);
        series[1].Value.TotalCount.Should().Be(0);
    }

    [Theory]
    [InlineData("\uFEFF", "\"count\": 12.0, ")]
    [InlineData("", "\"min\": 4.5, \"max\": \"none\", ")]
    public void Members_that_are_not_plotted_may_have_any_content(string before, string members)
    {
        File.WriteAllText(
            _folder.PathOf("results.json"),
            before + Jitterdebuggers.Replace("\"histogram\"", members + "\"histogram\"", StringComparison.Ordinal));

        SavedResults.Read(_folder.Path)[0].Value.TotalCount.Should().Be(1000);
    }

    [FactNeeding(Need.Linux)]
    public void A_CPU_without_wake_ups_whose_mean_is_not_a_number_is_empty()
    {
        foreach (string mean in (string[])["-nan", "nan"])
        {
            File.WriteAllText(
                _folder.PathOf("results.json"),
                Jitterdebuggers.Replace("\"avg\": 0 ", $"\"avg\": {mean}\n", StringComparison.Ordinal)
                    .Replace("\"sysname\"", "\"nodename\": \"banana: -nan\", \"sysname\"", StringComparison.Ordinal));

            SavedResults.Read(_folder.Path).Select(one => (one.Key, one.Value.TotalCount)).Should().Equal(("CPU 0", 1000UL), ("CPU 1", 0UL));
            SavedResults.UnitOf(_folder.Path).Should().Be(1000);
            SavedResults.TitleOf(_folder.Path).Should().Be("Wake-up latency, banana: -nan");
            PicolloTool.RunHere("jitter", "plot", _folder.Path).Should().Be(new ToolRun(0, "", $"wrote {_folder.PathOf("jitter.html")}\n"));
        }
    }

    [Fact]
    public void Results_are_read_from_the_log_or_else_from_the_JSON()
    {
        Save(ArtificialResults.Full);
        ulong exact = ArtificialResults.Full.Cpus[1].Histogram.GetPercentileValue(50);

        foreach (ulong tolerance in (ulong[])[20, 510])
        {
            var series = SavedResults.Read(_folder.Path);
            series.Select(one => (one.Key, one.Value.TotalCount)).Should().Equal(("CPU 0", 20_000), ("CPU 12", 20_000));
            series[1].Value.GetPercentileValue(50).Should().BeCloseTo(exact, tolerance);
            File.Delete(_folder.PathOf("jitter.hlog"));
        }
    }

    [Theory]
    [InlineData("results.json", "")]
    [InlineData("results.json", "x")]
    [InlineData("results.json", "[]")]
    [InlineData("results.json", "{\"cpu\":{\"0\":{}}}")]
    [InlineData("results.json", "{\"cpu\":{\"0\":7}}")]
    [InlineData("results.json", "{\"cpu\":{\"x\":{\"histogram\":{}}}}")]
    [InlineData("results.json", "{\"cpu\":{\"0\":{\"histogram\":{\"99999999999999999\":1}}}}")]
    [InlineData("results.json", "{\"cpu\":{\"0\":{\"histogram\":{\"1\":-1}}}}")]
    [InlineData("results.json", "{\"cpu\":{}}")]
    [InlineData("jitter.hlog", "")]
    [InlineData("jitter.hlog", "Tag=cpu0,0.000,1.000,2.0,\e[31mXXXX\n")]
    public void Damaged_results_are_reported_in_one_line(string name, string content)
    {
        File.WriteAllText(_folder.PathOf(name), content);

        ToolRun run = PicolloTool.RunHere("jitter", "plot", _folder.Path);

        (run.ExitCode, run.Output).Should().Be((1, ""));
        run.Error.Should().StartWith($"picollo: {_folder.PathOf(name)}: ").And.NotContain("\e").And.NotContain("   at ");
        run.Error.TrimEnd('\n').Should().NotContain("\n");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Endless_files_are_rejected()
    {
        File.CreateSymbolicLink(_folder.PathOf("results.json"), "/dev/zero");
        PicolloTool.Run("jitter", "plot", _folder.Path).Error.Should().Be($"picollo: {_folder.PathOf("results.json")}: not a jitter results file: the file is too large\n");
    }

    [Theory]
    [InlineData("/nonexistent", "picollo: /nonexistent/results.json: No such file or directory\n")]
    [InlineData("", "picollo: results.json: No such file or directory\n")]
    public void Missing_results_are_reported_in_one_line(string folder, string message) =>
        PicolloTool.RunHere("jitter", "plot", folder).Should().Be(new ToolRun(1, "", message));

    [Fact]
    public void An_unknown_file_extension_is_a_usage_error() => PicolloTool.RunHere("jitter", "plot", _folder.Path, "-o", "x.jpg")
        .Should().Be(new ToolRun(2, "", "picollo: -o must be a file name that ends with .html or .svg, not 'x.jpg'.\nTry 'picollo jitter plot --help'.\n"));

    private void Save(JitterResult result)
    {
        using (FileStream json = File.Create(_folder.PathOf("results.json")))
        {
            ResultFiles.WriteJson(json, result, new SystemNames("Linux", "host", "6.12", "#1 SMP", "x86_64", 16));
        }

        using FileStream log = File.Create(_folder.PathOf("jitter.hlog"));
        ResultFiles.WriteLog(log, result);
    }
}
