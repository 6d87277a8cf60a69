using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using Picollo.Cpu;
using Picollo.Profiling.Output;

namespace Picollo.Profiling.Tests.Output;

public class PageTests
{
    private const int NumbersPerNode = 3;

    [Fact]
    public void The_policy_permits_only_the_hashes_of_the_style_and_the_script_and_nothing_is_loaded()
    {
        string page = Page(SomeProfiles.Typical());
        ProfilePage.ContentSecurityPolicy.Should().Be(
            $"default-src 'none'; style-src '{HashOf(Between(page, "<style>", "</style>"))}'; script-src '{HashOf(Between(page, "<script>", "</script>"))}'; "
            + "base-uri 'none'; form-action 'none'");
        page.Should().Contain($"content=\"{ProfilePage.ContentSecurityPolicy}\"");
        page.Replace(HtmlAssets.Style, "").Replace(HtmlAssets.Script, "").Should()
            .NotContainAny("http:", "https:", "src=", "href=", "style=", "url(").And.NotMatchRegex(" on[a-z]+=");
        page.Split("<script>").Should().HaveCount(2);
        HtmlAssets.Script.Should().NotContainAny("innerHTML", "outerHTML", "insertAdjacent", "eval(", "Function(", "document.write", "fetch(", "import(");
    }

    [Fact]
    public void The_data_contains_the_functions_and_the_tree()
    {
        (JsonArray frames, int[] nodes) = DataOf(Profiles.Of("Main;Fib;Fib 60", "Main;Rest 30", "Main 10"));
        frames.ToJsonString().Should().Be("""[["Fib","App.dll",0],["Rest","App.dll",0],["Main","App.dll",0],["all","",4]]""");
        Part(Page(Profiles.Of("Main;Fib;Fib 60", "Main;Rest 30", "Main 10")))["functions"]!.ToJsonString().Should().Be("[0,60,60,1,30,30,2,10,100]");
        nodes.Should().Equal(3, 100, 0, 2, 100, 1, 0, 60, 2, 0, 60, 3, 1, 30, 2);
        DataOf(SomeProfiles.Deep()).Nodes.Chunk(NumbersPerNode).Select(node => node[2])
            .Should().Equal(Enumerable.Range(0, 1001), "a deep stack is complete");
    }

    [Fact]
    public void Hostile_names_are_text()
    {
        string page = Page(SomeProfiles.Hostile());
        page.Should().NotContainAny("<script>alert", "<img", "\u2028", "\u202e", "\0");
        string data = Data(page);
        data.Should().MatchRegex("^[ -~]*$", "it is ASCII").And.NotContainAny("<", ">", "&", "'");
        string[] names = [.. JsonNode.Parse(data)!["frames"]!.AsArray().Select(frame => (string)frame![0]!)];
        names.Should().Contain("</script><script>alert(1)</script><img src=x onerror=alert(1)>??]]>&amp;??'\"?");
        names.Should().Contain(SomeProfiles.LongName).And.OnlyContain(name => name.Length <= 1000);
    }

    [Fact]
    public void The_page_of_an_empty_profile_has_a_reason_and_no_script()
    {
        Page(SomeProfiles.Empty()).Should().Contain("<b>No samples.</b> The process used no CPU time while it was sampled.")
            .And.NotContainAny("<script>", "id=\"graph\"");
        Page("Shop", new ProfilePart("all", SomeProfiles.Empty().Data), new ProfilePart("GET /", SomeProfiles.Empty().Data))
            .Should().Contain("<b>No samples.</b>").And.NotContain("<script>");
    }

    [Fact]
    public void The_header_has_the_measured_values()
    {
        string page = Page(SomeProfiles.Of(
            "app <1>", [([Profiles.Managed("A")], 980), ([new CpuProfileFrame("x+0x1", "x", CpuProfileFrameKind.Unnamed)], 20)], ["A note, <b>."]));
        string[] facts = [.. Between(page, "<dl id=\"facts\">", "</dl>").Split("<dt>").Skip(1).Select(fact =>
            System.Text.RegularExpressions.Regex.Replace(fact.Replace("</dt>", ": "), "<[^>]*>", "").Trim())];
        facts.Should().Equal(
            "Samples: 1,000", "CPU time: 10.0 s 2.00 s in the kernel", "Duration: 30.0 s", "Frequency: 99 Hz of CPU time", "Sampling event: cpu-clock",
            "Lost: 25 2.4 % of samples", "Unnamed: 20 2.0 % of samples");
        page.Should().Contain("<title>app &lt;1&gt; · CPU profile</title>").And.Contain("<h1>app &lt;1&gt;</h1>").And.Contain("<li>A note, &lt;b&gt;.</li>")
            .And.Contain("CPU profile, started 2026-11-25 12:00:00 UTC");
        Page(Profiles.Of("A 1")).Should().Contain("<small>user mode only</small>").And.NotContain("<ul");
        Page(new CpuProfile(new ProfileData(Profiles.Of("A 30").Root) { CpuUsage = new CpuUsage(300_000_000, 0) }))
            .Should().Contain("<dt>CPU time</dt><dd>300 ms</dd>", "the kernel time is unknown");
    }

    [Fact]
    public void Small_nodes_of_a_large_profile_are_merged_and_their_samples_remain()
    {
        (CpuProfile profile, CpuProfile typical) = (SomeProfiles.Large(), SomeProfiles.Typical());
        (DataOf(typical).Nodes.Length / NumbersPerNode).Should().Be(Count(typical.Root), "no node of a small profile is merged");
        string page = Page(profile);
        page.Length.Should().BeLessThan(1_000_000);
        page.Should().Contain("<li>The page is limited to 20,000 nodes. Nodes with fewer than 2 samples are merged into (other), each below its caller.");
        (JsonArray frames, int[] nodes) = DataOf(profile);
        (nodes.Length / NumbersPerNode).Should().BeInRange(5_000, 20_000);
        int other = Enumerable.Range(0, frames.Count).Single(i => (string)frames[i]![0]! == "(other)");
        int[][] triples = [.. nodes.Chunk(NumbersPerNode)];
        triples.Where(node => node[0] != other).Should().OnlyContain(node => node[1] >= 2);
        triples.Where(node => node[0] == other).Sum(node => node[1]).Should().Be(45_000, "they have one sample each");
        foreach (int depth in new[] { 1, 2, 3 })
        {
            triples.Where(node => node[2] == depth).Sum(node => node[1]).Should().Be((int)profile.Value, $"at depth {depth}");
        }

        static int Count(CpuProfileNode node) => 1 + node.Children.Sum(Count);
    }

    [Fact]
    public void Each_part_has_its_facts_and_notes_and_all_parts_share_one_list_of_functions()
    {
        CpuProfile all = Profiles.Of("Main;A 70", "Main;B 20");
        string page = Page("Shop", new ProfilePart("all", all.Data), new ProfilePart("GET /<b>", Profiles.Of("Main;B 20").Data, all.Data), new ProfilePart("(no request)", SomeProfiles.Empty().Data));

        page.Should().Contain("<option value=\"0\">all</option>\n<option value=\"1\">GET /&lt;b&gt;</option>\n<option value=\"2\">(no request)</option>\n")
            .And.Contain("<p><a href=\"x\">Back</a></p>\n</header>");
        JsonNode.Parse(Data(page))!["frames"]!.AsArray().Select(frame => (string)frame![0]!).Should().Equal("A", "B", "Main", "all");
        Part(page)["functions"]!.ToJsonString().Should().Be("[0,70,70,1,20,20,2,0,90]");
        Part(page, 1)["nodes"]!.ToJsonString().Should().Be("[3,20,0,2,20,1,1,20,2]");
        ((string)Part(page, 1)["name"]!).Should().Be("GET /<b>");
        Part(page, 1)["facts"]![1]!.ToJsonString().Should().Be("""["Share","22.2 %","of all samples"]""");
        ((string)Part(page, 2)["noSamplesReason"]!).Should().Be("The process used no CPU time while it was sampled.");
        Part(Page("Shop", new ProfilePart("12:00:00", all.Data), new ProfilePart("12:00:01", all.Data)), 1)["facts"]!.AsArray()
            .Select(fact => (string)fact![0]!)
            .Should().Contain("Samples").And.NotContain("Share", "it is a whole profile");
    }

    [Fact]
    public void The_nodes_of_all_parts_are_limited_and_small_parts_are_complete()
    {
        ProfilePart[] parts = [new("all", SomeProfiles.Large().Data), new("large", SomeProfiles.Large().Data), .. Enumerable.Range(0, 20).Select(i => new ProfilePart($"small {i}", Profiles.Of($"A{i};B 1", "C 1").Data))];

        string page = Page("Shop", parts);

        int[] counts = [.. parts.Select((_, i) => Part(page, i)["nodes"]!.AsArray().Count / NumbersPerNode)];
        counts[2..].Should().OnlyContain(count => count == 4);
        counts.Sum().Should().BeInRange(10_000, 20_000);
        counts[0].Should().BeInRange(5_000, 20_000);
        Part(page, 0)["notes"]!.AsArray().Select(note => (string)note!).Should().ContainSingle().Which.Should().StartWith("The page is limited to 20,000 nodes.");
        Part(page, 2)["notes"]!.AsArray().Should().BeEmpty();
    }

    [Fact]
    public void The_data_of_a_difference_contains_the_samples_before_and_after()
    {
        string page = Profiles.Text(new CpuProfileDifference(Profiles.Of("Main;Gone 3", "Main 1"), Profiles.Of("Main;New 6")).WriteHtml);
        JsonNode data = JsonNode.Parse(Data(page))!;
        ((bool)data["isDifference"]!).Should().BeTrue();
        data["frames"]!.AsArray().Select(frame => (string)frame![0]!).Should().Equal("New", "Gone", "Main", "all");
        Part(page)["functions"]!.ToJsonString().Should().Be("[0,0,6,0,6,1,3,0,3,0,2,1,0,4,6]");
        Part(page)["nodes"]!.ToJsonString().Should().Be("[3,4,6,0,2,4,6,1,0,0,6,2,1,3,0,2]");
    }

    private static string Page(string title, params ProfilePart[] parts) =>
        Profiles.Text(output => ProfilePage.Write(output, title, parts, "<p><a href=\"x\">Back</a></p>\n"));

    private static string Page(CpuProfile profile) => Profiles.Text(profile.WriteHtml);

    private static string Data(string page) => Between(page, "<script type=\"application/json\" id=\"profile\">", "</script>");

    private static (JsonArray Frames, int[] Nodes) DataOf(CpuProfile profile)
    {
        string page = Page(profile);
        return (JsonNode.Parse(Data(page))!["frames"]!.AsArray(), [.. Part(page)["nodes"]!.AsArray().Select(number => (int)number!)]);
    }

    private static JsonNode Part(string page, int part = 0) => JsonNode.Parse(Data(page))!["parts"]![part]!;

    private static string Between(string text, string start, string end)
    {
        int from = text.IndexOf(start, StringComparison.Ordinal) + start.Length;
        return text[from..text.IndexOf(end, from, StringComparison.Ordinal)];
    }

    private static string HashOf(string text) => "sha256-" + Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(text)));
}
