using System.Runtime.Versioning;
using System.Text.RegularExpressions;
using Picollo.Cli.Shell;
using Picollo.Export;

namespace Picollo.Cli.Tests.Hist;

public sealed class HistFilesTests : FolderTests
{
    private static readonly string Java = Path.Combine(Repository.Root, "tests/Picollo.Export.Tests/Logs/Data");

    [Fact]
    public void Plot_page_and_log_are_written()
    {
        (string svg, string html, string log) = (Folder.PathOf("a.svg"), Folder.PathOf("a.html"), Folder.PathOf("a.hlog"));

        Hist("1\n2\n3\n", "--unit", "<ms>", "--svg", svg, "--html", html, "--hlog", log)
            .Should().Be((0, $"wrote {svg}\nwrote {html}\nwrote {log}\n"));

        File.ReadAllText(svg).Should().StartWith("<svg").And.Contain("&lt;ms&gt;");
        File.ReadAllText(html).Should().StartWith("<!DOCTYPE html>").And.Contain("standard input");
        using HdrHistogramLogReader reader = new(log);
        reader.ReadAll().Should().ContainSingle().Which.Histogram.BucketsWithValues.Select(bucket => bucket.Start).Should().Equal(1, 2, 3);
        Directory.GetFiles(Folder.Path).Should().HaveCount(3, "no other files remain");
    }

    [Fact]
    public void The_title_defaults_to_the_names_of_the_inputs()
    {
        (string svg, string html) = (Folder.PathOf("a.svg"), Folder.PathOf("a.html"));
        string log = Path.Combine(Java, "tagged-Log.logV2.hlog");

        Hist("", log, "--svg", svg, "--html", html).ExitCode.Should().Be(0);
        File.ReadAllText(html).Should().MatchRegex("<h1>[^<]*tagged-Log.logV2.hlog</h1>").And.MatchRegex("<title>[^<]*tagged-Log.logV2.hlog</title>");
        string.Concat(Regex.Matches(File.ReadAllText(svg), "font-weight=\"600\">(?:<title>[^<]*</title>)?([^<]*)<").Select(line => line.Groups[1].Value))
            .Should().EndWith("tagged-Log.logV2.hlog", "the title may take more than one line");

        Hist("1\n", "--title", "Night & day", "--svg", svg, "--html", html).ExitCode.Should().Be(0);
        File.ReadAllText(html).Should().Contain("<h1>Night &amp; day</h1>");
        File.ReadAllText(svg).Should().Contain("font-weight=\"600\">Night &amp; day<");
    }

    [Fact]
    public void Merged_logs_span_the_times_of_all_logs()
    {
        string merged = Folder.PathOf("merged.hlog");
        string[] logs = ["jHiccup-2.0.7S.logV2.hlog", "tagged-Log.logV2.hlog"];

        Hist("", [.. logs.Select(name => Path.Combine(Java, name)), "--hlog", merged]).ExitCode.Should().Be(0);

        HdrHistogramLogInterval[] all = [.. logs.SelectMany(name => IntervalsOf(Path.Combine(Java, name)))];
        HdrHistogramLogInterval one = IntervalsOf(merged).Should().ContainSingle().Subject;
        one.StartTime.Should().BeCloseTo(all.Min(interval => interval.StartTime), TimeSpan.FromMilliseconds(1));
        (one.StartTime + one.Length).Should().BeCloseTo(all.Max(interval => interval.StartTime + interval.Length), TimeSpan.FromMilliseconds(2));
        one.Histogram.TotalCount.Should().Be(all.Aggregate(0UL, (sum, interval) => sum + interval.Histogram.TotalCount));
    }

    [Fact]
    public void A_log_contains_the_displayed_values_if_the_scale_makes_them_whole()
    {
        string log = Folder.PathOf("a.hlog");

        Hist("0\n0.5\n1.25\n", "--scale", "1e6", "--hlog", log).Should().Be((0, $"wrote {log}\n"));
        ulong[] values = [.. IntervalsOf(log).Single().Histogram.BucketsWithValues.Select(bucket => bucket.Start)];
        values[0].Should().Be(0);
        values[1].Should().BeInRange(499_500, 500_500);
        values[2].Should().BeInRange(1_248_750, 1_251_250);

        Hist("0.01\n0.03\n12.3\n", "--scale", "100", "--hlog", log).Should().Be((0, $"wrote {log}\n"));
        IntervalsOf(log).Single().Histogram.BucketsWithValues.Select(bucket => bucket.Start).Should().Equal(1, 3, 1230);
        Hist("0.0123\n5\n", "--hlog", log).Should().Be(
            (1, "picollo: --hlog: a log can only contain whole numbers, and rounding 0.0123 would lose digits; use --scale 1000000\n"));
        Hist("0.0123\n5\n", "--hlog", log, "--scale", "1000000").Should().Be((0, $"wrote {log}\n"));
        Hist("18446744073709551615\n", "--hlog", log).Error.Should().EndWith("a log can only contain numbers below 2^63; use a smaller --scale\n");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Unwritable_output_files_are_reported()
    {
        foreach (string option in new[] { "--svg", "--html", "--hlog" })
        {
            ToolRun full = PicolloTool.RunHereWithInput("1\n", "hist", option, "/dev/full");
            (full.ExitCode, full.Error).Should().Be((1, "picollo: /dev/full: No space left on device\n"));
            full.Output.Should().Contain("| 100        |", "the summary is still printed");
        }

        File.Exists("/dev/full").Should().BeTrue();
        Hist("1\n", "--svg", "/nowhere/a.svg").Should().Be((1, "picollo: /nowhere/a.svg: No such file or directory\n"));
        Hist("1\n", "--svg", "/tmp").ExitCode.Should().Be(1);
        ToolRun run = PicolloTool.RunInShell("""
            folder=$(mktemp -d) && echo old > $folder/a.svg && chmod 755 $folder && chmod 444 $folder/a.svg
            [ "$(id -u)" = 0 ] || chmod 555 $folder
            echo 1 | $unprivileged hist --svg $folder/a.svg > /dev/null
            echo 1 | $unprivileged hist --svg $folder/b.svg > /dev/null
            cat $folder/*; chmod 755 $folder; rm -rf $folder
            """);
        run.Output.Should().Be("old\n");
        run.Error.Should().MatchRegex("^picollo: /.*/a.svg: Permission denied\npicollo: /.*/b.svg: Permission denied\n$");
    }

    [Fact]
    public void A_failed_write_keeps_the_existing_file()
    {
        string path = Folder.PathOf("a");
        File.WriteAllText(path, "old");

        FluentActions.Invoking(() => OutputFile.WriteText(path, writer =>
        {
            writer.Write("new");
            writer.Flush();
            throw new IOException("No space left on device : '/x'");
        })).Should().Throw<CommandException>().WithMessage($"{path}: No space left on device");

        File.ReadAllText(path).Should().Be("old");
        Directory.GetFiles(Folder.Path).Should().Equal(path);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Links_are_kept_and_pipes_are_written_to()
    {
        (string link, string target) = (Folder.PathOf("link"), Folder.PathOf("target"));
        File.CreateSymbolicLink(link, target);

        OutputFile.WriteText(link, writer => writer.Write("one"));
        OutputFile.WriteText(link, writer => writer.Write("two"));

        File.ReadAllText(target).Should().Be("two");
        new FileInfo(link).LinkTarget.Should().Be(target);
        PicolloTool.RunInShell("echo 1 | $picollo hist --svg /dev/stdout --json | cat").Output.Should().StartWith("<svg").And.EndWith("}\n");
        PicolloTool.RunInShell("echo 1 | $picollo hist --json --svg >(cat >&2)").Error.Should().StartWith("<svg");
    }

    [FactNeeding(Need.Linux)]
    [UnsupportedOSPlatform("windows")]
    public void A_link_at_a_temporary_name_is_not_followed()
    {
        (string path, string victim) = (Folder.PathOf("a"), Folder.PathOf("victim"));
        File.WriteAllText(victim, "kept");
        File.CreateSymbolicLink($"{path}.{Environment.ProcessId}.tmp", victim);

        OutputFile.WriteText(path, writer => writer.Write("new"));

        File.ReadAllText(victim).Should().Be("kept");
        new FileInfo(path).LinkTarget.Should().BeNull();
        File.ReadAllText(path).Should().Be("new");
    }

    [FactNeeding(Need.Linux)]
    [UnsupportedOSPlatform("windows")]
    public void A_replaced_file_keeps_its_mode()
    {
        string path = Folder.PathOf("a");
        foreach (UnixFileMode mode in (UnixFileMode[])[UnixFileMode.UserRead | UnixFileMode.UserWrite, (UnixFileMode)0b110_110_110])
        {
            File.WriteAllText(path, "old");
            File.SetUnixFileMode(path, mode);

            OutputFile.WriteText(path, writer =>
            {
                writer.Write("new");
                writer.Flush();
                string aside = Directory.GetFiles(Folder.Path).Single(file => file != path);
                (File.GetUnixFileMode(aside) & ~mode).Should().Be(UnixFileMode.None, "no other user may read it in the meantime");
            });

            File.GetUnixFileMode(path).Should().Be(mode);
        }
    }

    [FactNeeding(Need.Linux, Need.Root)]
    [Trait("Category", "Slow")]
    public void A_file_of_another_user_keeps_its_owner_or_is_rejected()
    {
        ToolRun run = PicolloTool.RunInShell($"""
            cd {Folder.Path}; chmod 777 .; echo old > a; chown 1234:4321 a; chmod 640 a
            echo old > b; chmod 666 b
            echo 1 | $picollo hist --json --svg a > /dev/null; stat -c '%u %g %a' a; head -c 4 a; echo
            echo 1 | $unprivileged hist --json --svg b > /dev/null; stat -c '%u %a' b; cat b; ls
            """);

        run.Output.Should().Be("1234 4321 640\n<svg\n0 666\nold\na\nb\n");
        run.Error.Should().Be("wrote a\npicollo: b: The owner or group of the existing file cannot be preserved\n");
    }

    private static HdrHistogramLogInterval[] IntervalsOf(string path)
    {
        using HdrHistogramLogReader reader = new(path);
        return [.. reader.ReadAll()];
    }

    private static (int ExitCode, string Error) Hist(string input, params string[] arguments)
    {
        ToolRun run = PicolloTool.RunHereWithInput(input, ["hist", .. arguments]);
        return (run.ExitCode, run.Error);
    }
}
