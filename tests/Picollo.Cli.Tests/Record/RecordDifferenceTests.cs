using Picollo.Profiling;
using Picollo.Profiling.Tests;
using Picollo.Profiling.Tests.Output;

namespace Picollo.Cli.Tests.Record;

/// <summary>End-to-end tests of <c>picollo record --diff</c>.</summary>
public sealed class RecordDifferenceTests : FolderTests
{
    private static readonly CpuProfile Before = Profiles.Of("Main;Work 600", "Main;Rest 300", "Main 100");
    private static readonly CpuProfile After = Profiles.Of("Main;Work 900", "Main;Rest 100");

    [Fact]
    public void Two_profiles_are_compared_and_requested_files_are_written()
    {
        (string html, string svg) = (Folder.PathOf("diff.html"), Folder.PathOf("diff.svg"));

        ToolRun run = PicolloTool.RunHere("record", "--diff", Write("a.pb.gz", Before), Write("b.pb.gz", After), "--html", html, "--svg", svg);

        CpuProfileDifference difference = new(Before, After);
        (run.ExitCode, run.Output, run.Error).Should().Be((0, Text(output => difference.WriteTable(output)), $"wrote {html}\nwrote {svg}\n"));
        run.Output.Should().Contain(" 60.0 %   90.0 %   +30.00    +26.38 to  +33.50   60.0 %   90.0 %  Work\n");
        File.ReadAllText(html).Should().Be(Text(difference.WriteHtml));
        File.ReadAllText(svg).Should().Be(Text(difference.WriteSvg));
    }

    [Fact]
    public void Profiles_of_other_tools_are_compared_in_their_own_unit()
    {
        string heap = WriteHeap();

        PicolloTool.RunHere("record", "--diff", heap, heap).Output.Should()
            .Contain("\n        inuse_space 10.0 MiB\n").And.Contain("100.0 %  100.0 %     0.00   unknown             100.0 %  100.0 %  F2\n");
        PicolloTool.RunHere("record", "--type", "alloc_objects", "--diff", heap, heap).Output.Should()
            .Contain("\n        alloc_objects 1,000\n").And.Contain(" 99.0 %   99.0 %     0.00   unknown              99.0 %   99.0 %  F1\n");
    }

    [Fact]
    public void Files_that_cannot_be_read_or_compared_are_reported()
    {
        string profile = Write("a.pb.gz", Before), heap = WriteHeap();
        string text = Folder.PathOf("text"), cut = Folder.PathOf("cut"), missing = Folder.PathOf("missing");
        File.WriteAllText(text, "Main;Work 12\n");
        File.WriteAllBytes(cut, File.ReadAllBytes(profile)[..50]);

        Report("--diff", profile, missing).Should().Be($"picollo: {missing}: No such file or directory\n");
        Report("--diff", "", profile).Should().Be("picollo: : No such file or directory\n");
        Report("--diff", text, profile).Should().StartWith($"picollo: {text}: This is not a pprof profile, or it is damaged: ");
        Report("--diff", profile, cut).Should().StartWith($"picollo: {cut}: This is not a pprof profile, or it is damaged: ");
        Report("--diff", heap, profile)
            .Should().Be("picollo: The profiles cannot be compared, because they show inuse_space (bytes) and CPU time.\n");
        Report("--type", "cpu", "--diff", heap, heap)
            .Should().Be($"picollo: {heap}: The profile has no sample type 'cpu'. Its types are: alloc_objects, inuse_space.\n");

        static string Report(params string[] arguments)
        {
            ToolRun run = PicolloTool.RunHere(["record", .. arguments]);
            (run.ExitCode, run.Output).Should().Be((1, ""));
            return run.Error;
        }
    }

    private string WriteHeap()
    {
        ForeignProfile profile = ForeignProfile.Of(2, ("alloc_objects", "count"), ("inuse_space", "bytes"));
        profile.Sample([1], [990, 0]);
        profile.Sample([2], [10, 10_485_760]);
        string path = Folder.PathOf("heap.pb");
        File.WriteAllBytes(path, profile.ToBytes());
        return path;
    }

    private string Write(string name, CpuProfile profile)
    {
        using FileStream file = File.Create(Folder.PathOf(name));
        profile.WritePprof(file);
        return file.Name;
    }

    private static string Text(Action<TextWriter> write)
    {
        using StringWriter text = new() { NewLine = "\n" };
        write(text);
        return text.ToString();
    }
}
