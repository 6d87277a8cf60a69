using System.Globalization;
using System.Reflection;
using System.Text.RegularExpressions;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Tests of the README, guides and package pages: their code compiles, and their links are valid.</summary>
public sealed partial class DocumentTests
{
    private const int MaxReadmeLines = 220;
    private const int FirstLines = 60;

    private static readonly string[] Packages =
        ["Picollo", "Picollo.Export", "Picollo.Diagnostics", "Picollo.Profiling", "Picollo.Scheduling", "Picollo.AspNetCore", "Picollo.BenchmarkDotNet", "Picollo.Cli"];

    private const BindingFlags AllMembers = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.FlattenHierarchy;

    private static readonly Type[] PublicTypes =
    [
        .. new[]
        {
            typeof(HdrHistogram), typeof(Export.HdrHistogramMerger), typeof(Diagnostics.CommandMeter), typeof(Scheduling.CpuWorkerPool),
            typeof(Profiling.CpuProfiler), typeof(AspNetCore.PicolloOptions), typeof(BenchmarkDotNet.PicolloMeasure),
        }.SelectMany(type => type.Assembly.GetExportedTypes()),
    ];

    public static TheoryData<string> Documents =>
        [.. Documentation().Concat(PackagePages()).Select(document => document.Path)];

    [Theory]
    [MemberData(nameof(Documents))]
    public void Every_code_block_is_compiled(string path)
    {
        string[] sources =
        [
            .. Directory.EnumerateFiles(Path.Combine(Repository.Root, "tests/Picollo.Samples.Tests/Guides"), "*Guide.cs"),
            Path.Combine(Repository.Root, "samples/Benchmarks/Aggregation.cs"),
        ];
        string compiled = string.Join('\n', sources.Select(file => Normalized(File.ReadAllText(file))));

        // FirstProgramTests and ProgramTests compile the complete programs.
        IEnumerable<string> blocks = Markdown.Of(path).CodeBlocks.Except(FirstProgramTests.Programs).Except(ProgramTests.Programs.Select(program => program.Code));

        blocks.Where(block => !compiled.Contains(Normalized(block), StringComparison.Ordinal)).Should().BeEmpty();
    }

    [Theory]
    [MemberData(nameof(Documents))]
    public void Code_blocks_contain_the_usings_that_no_earlier_block_has_shown(string path)
    {
        HashSet<string?> shown = [];
        foreach (string block in Markdown.Of(path).CodeBlocks)
        {
            shown.UnionWith(block.Split('\n').Where(line => UsingDirective().IsMatch(line)).Select(line => line["using ".Length..^1]));
            foreach (string name in TypeName().Matches(CommentOrText().Replace(block, "")).Select(match => match.Value).Distinct())
            {
                string?[] namespaces = [.. PublicTypes.Where(type => type.Name.Split('`')[0] == name).Select(type => type.Namespace)];
                (namespaces.Length == 0 || namespaces.Any(shown.Contains)).Should().BeTrue("{0} uses {1} of {2}", path, name, string.Join(", ", namespaces));
            }
        }
    }

    [Theory]
    [MemberData(nameof(Documents))]
    public void Links_within_the_repository_point_to_an_existing_file_and_heading(string path)
    {
        Markdown document = Markdown.Of(path);
        foreach (string link in document.Links.Where(link => !link.StartsWith("https://", StringComparison.Ordinal)))
        {
            string[] parts = link.Split('#');
            string target = parts[0] == ""
                ? path
                : Path.GetRelativePath(Repository.Root, Path.Combine(Repository.Root, Path.GetDirectoryName(path)!, parts[0]));
            Path.Exists(Path.Combine(Repository.Root, target)).Should().BeTrue("{0} contains a link to {1}", path, link);
            if (parts.Length > 1)
            {
                Markdown.Of(target).Anchors.Should().Contain(parts[1], "{0} contains a link to {1}", path, link);
            }
        }
    }

    /// <summary>All documents except the CHANGELOG, which also names removed members.</summary>
    public static TheoryData<string> PresentDocuments => [.. Documentation().Concat(PackagePages()).Select(document => document.Path).Where(path => path != "CHANGELOG.md")];

    [Theory]
    [MemberData(nameof(PresentDocuments))]
    public void Members_in_the_text_exist(string path)
    {
        foreach ((string type, string member) in InlineMember().Matches(Markdown.Of(path).Text).Select(match => (match.Groups[1].Value, match.Groups[2].Value)))
        {
            Type[] named = [.. PublicTypes.Where(candidate => candidate.Name.Split('`')[0] == type)];
            if (named.Length > 0)
            {
                named.SelectMany(candidate => candidate.GetMember(member, AllMembers)).Should().NotBeEmpty("{0} names {1}.{2}", path, type, member);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Documents))]
    public void Commands_of_the_build_exist(string path)
    {
        string build = File.ReadAllText(Path.Combine(Repository.Root, "build.sh"));
        string[] demos = [.. Directory.EnumerateDirectories(Path.Combine(Repository.Root, "samples")).Select(folder => Path.GetFileName(folder).ToLowerInvariant())];
        foreach (Match match in BuildCommand().Matches(Markdown.Of(path).Text))
        {
            (string command, string argument) = (match.Groups[1].Value, match.Groups[2].Value);
            build.Should().Contain($"\n  {command} ", "{0} names ./build.sh {1}", path, command);
            if (command == "demo" && argument.Length > 0)
            {
                demos.Should().Contain(demo => demo.StartsWith(argument, StringComparison.Ordinal) || demo == argument + "demo", "{0} names the demo {1}", path, argument);
            }
        }
    }

    [Fact]
    public void The_readme_is_short_and_contains_both_commands_near_the_top()
    {
        string[] lines = Markdown.Of("README.md").Text.Split('\n');

        lines.Length.Should().BeLessThanOrEqualTo(MaxReadmeLines + 1);
        lines.Take(FirstLines).Should().Contain(line => line.StartsWith("./build.sh demo", StringComparison.Ordinal))
            .And.Contain(line => line.StartsWith("./build.sh test", StringComparison.Ordinal));
    }

    [Fact]
    public void Each_guide_is_in_the_index_once_and_the_next_links_visit_all_guides()
    {
        HashSet<string> guides = [.. Markdown.Below("docs").Select(guide => guide.Path["docs/".Length..]).Where(name => name != "README.md")];
        Markdown.Of("docs/README.md").Links.Where(link => !link.StartsWith("..", StringComparison.Ordinal))
            .Should().OnlyHaveUniqueItems().And.BeEquivalentTo(guides);

        HashSet<string> read = [];
        for (string next = "histogram.md"; read.Add(next); next = NextLink().Match(Markdown.Of("docs/" + next).Text).Groups[1].Value)
        {
            guides.Should().Contain(next);
        }

        read.Should().BeEquivalentTo(guides);
    }

    [Fact]
    public void Each_sample_is_in_the_index() => Markdown.Of("samples/README.md").Links.Should().BeEquivalentTo(
        Directory.EnumerateFiles(Path.Combine(Repository.Root, "samples"), "*.csproj", SearchOption.AllDirectories)
            .Select(project => Path.GetFileName(Path.GetDirectoryName(project))));

    /// <summary>On nuget.org, relative links do not work.</summary>
    [Fact]
    public void Package_pages_have_no_relative_links() =>
        PackagePages().SelectMany(page => page.Links).Should().NotContain(link => !link.StartsWith("https://", StringComparison.Ordinal));

    [Fact]
    public void The_precision_table_shows_the_actual_memory_of_histograms()
    {
        MatchCollection rows = PrecisionRow().Matches(Markdown.Of("docs/histogram.md").Text);

        rows.Should().HaveCount(3);
        foreach (Match row in rows)
        {
            double setting = double.Parse(row.Groups["setting"].Value, CultureInfo.InvariantCulture);
            var factory = HdrHistogram.Factory.WithMaxTrackableValue(3_600 * NanoScope.OneSecondValue);
            using var histogram = row.Groups["method"].Value == "WithRelativeError"
                ? factory.WithRelativeError(setting).Create()
                : factory.WithSignificantDigits((int)setting).Create();

            for (int scale = 0; scale < 64; scale++)
            {
                histogram.Record(1UL << scale); // allocates all counters
            }

            row.Groups["buckets"].Value.Should().Be(histogram.Buckets.Count().ToString("N0", CultureInfo.InvariantCulture));
            string kilobytes = row.Groups["kilobytes"].Value;
            string format = kilobytes.Contains('.', StringComparison.Ordinal) ? "F1" : "F0";
            kilobytes.Should().Be((histogram.FootprintInBytes / 1e3).ToString(format, CultureInfo.InvariantCulture));
        }
    }

    internal static IEnumerable<Markdown> PackagePages() => Packages.Select(package => Markdown.Of($"src/{package}/README.md"));

    private static IEnumerable<Markdown> Documentation() =>
        [Markdown.Of("README.md"), Markdown.Of("CONTRIBUTING.md"), Markdown.Of("CHANGELOG.md"), Markdown.Of("samples/README.md"), .. Markdown.Below("docs")];

    private static string Normalized(string code) => string.Join(
        '\n', code.Split('\n').Select(line => line.Trim()).Where(line => line.Length > 0 && !UsingDirective().IsMatch(line)));

    [GeneratedRegex(@"`(?:[^`\n]*\W)?([A-Z]\w+)\.([A-Z]\w+)")]
    private static partial Regex InlineMember();

    [GeneratedRegex(@"\./build\.sh ([a-z]+)(?: ([a-z]+))?")]
    private static partial Regex BuildCommand();

    [GeneratedRegex(@"^Next: \[[^]]*\]\(([^)#]*)\)", RegexOptions.Multiline)]
    private static partial Regex NextLink();

    [GeneratedRegex(@"//.*|""[^""]*""")]
    private static partial Regex CommentOrText();

    /// <summary>A name that is neither a member (after a dot) nor set in an initializer (before an equals sign).</summary>
    [GeneratedRegex(@"(?<![.\w])[A-Z]\w+\b(?!\s*=[^=>])")]
    private static partial Regex TypeName();

    [GeneratedRegex(@"^using [A-Z][\w.]*;$")]
    private static partial Regex UsingDirective();

    [GeneratedRegex(@"^\| `(?<method>With\w+)\((?<setting>[0-9.]+)\)`[^|]*\| (?<buckets>[0-9,]+) \| (?<kilobytes>[0-9.]+) KB \|", RegexOptions.Multiline)]
    private static partial Regex PrecisionRow();
}
