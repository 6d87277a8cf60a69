using System.Globalization;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Tests of the README, guides and package pages: their code compiles, and their links are valid.</summary>
public sealed partial class DocumentTests
{
    private static readonly string[] Packages =
        ["Picollo", "Picollo.Export", "Picollo.Diagnostics", "Picollo.Profiling", "Picollo.Scheduling", "Picollo.AspNetCore", "Picollo.BenchmarkDotNet", "Picollo.Cli"];

    private const BindingFlags AllMembers = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.FlattenHierarchy;

    private static readonly Type[] PublicTypes =
    [
        .. new[]
        {
            typeof(HdrHistogram), typeof(Export.HdrHistogramMerger), typeof(Diagnostics.CommandMeter), typeof(Scheduling.CpuWorkerPool),
            typeof(Profiling.CpuProfiler), typeof(PicolloOptions), typeof(BenchmarkDotNet.PicolloMeasure),
        }.SelectMany(type => type.Assembly.GetExportedTypes()),
    ];

    public static TheoryData<string> Documents =>
        [.. Documentation().Concat(PackagePages()).Select(document => document.Path)];

    /// <summary>The analyzers report what the comments say, and nothing else.</summary>
    [Theory]
    [Trait("Category", "Slow")]
    [MemberData(nameof(Documents))]
    public async Task Every_code_block_compiles(string path)
    {
        string[] blocks = [.. Markdown.Of(path).CodeBlocks];
        for (int i = 0; i < blocks.Length; i++)
        {
            (await DocumentCode.DiagnosticsAsync(path, i)).Should().BeEquivalentTo(
                blocks[i].Split('\n').SelectMany((line, number) => Mistake().Matches(line).Select(match => $"{number}: {match}")), "block {0} of {1}", i, path);
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

    [Theory]
    [MemberData(nameof(Documents))]
    public void Members_in_the_text_exist(string path)
    {
        if (path == "CHANGELOG.md") // it also names removed members
        {
            return;
        }

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

    [Fact]
    public void The_options_in_the_ASP_NET_Core_guide_are_complete_and_its_configuration_is_valid()
    {
        string guide = Markdown.Of("docs/aspnetcore.md").Text;
        KeyRow().Matches(guide[guide.IndexOf("| key |", StringComparison.Ordinal)..])
            .SelectMany(row => row.Groups[1].Value.Split(", ")).Select(key => key.Trim('`'))
            .Should().BeEquivalentTo(typeof(PicolloOptions).GetProperties().SelectMany(option =>
                option.SetMethod is null ? option.PropertyType.GetProperties().Select(nested => $"{option.Name}:{nested.Name}") : [option.Name]));

        IConfiguration configuration = new ConfigurationBuilder()
            .AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(JsonBlock().Match(guide).Groups[1].Value))).Build();
        using ServiceProvider services = new ServiceCollection().AddPicollo(configuration.GetSection("Picollo")).BuildServiceProvider();
        PicolloOptions options = services.GetRequiredService<IOptions<PicolloOptions>>().Value;
        (options.Requests.CpuBudget, options.EnableProfiling, options.CpuWorkers.WorkerCount).Should().Be((TimeSpan.FromMilliseconds(100), true, 2));
        options.Meters.MeterNames.Should().Equal("System.Net.Http", "Shop");
    }

    internal static IEnumerable<Markdown> PackagePages() => Packages.Select(package => Markdown.Of($"src/{package}/README.md"));

    private static IEnumerable<Markdown> Documentation() =>
        [Markdown.Of("README.md"), Markdown.Of("CONTRIBUTING.md"), Markdown.Of("CHANGELOG.md"), Markdown.Of("samples/README.md"), .. Markdown.Below("docs")];

    [GeneratedRegex(@"`(?:[^`\n]*\W)?([A-Z]\w+)\.([A-Z]\w+)")]
    private static partial Regex InlineMember();

    [GeneratedRegex(@"\./build\.sh ([a-z]+)(?: ([a-z]+))?")]
    private static partial Regex BuildCommand();

    [GeneratedRegex(@"^Next: \[[^]]*\]\(([^)#]*)\)", RegexOptions.Multiline)]
    private static partial Regex NextLink();

    [GeneratedRegex("PIC[0-9]{4}")]
    private static partial Regex Mistake();

    [GeneratedRegex(@"^\| (`[A-Z][^|]*) \|", RegexOptions.Multiline)]
    private static partial Regex KeyRow();

    [GeneratedRegex("```json\n(\\{\n.*?)```", RegexOptions.Singleline)]
    private static partial Regex JsonBlock();

    [GeneratedRegex(@"^\| `(?<method>With\w+)\((?<setting>[0-9.]+)\)`[^|]*\| (?<buckets>[0-9,]+) \| (?<kilobytes>[0-9.]+) KB \|", RegexOptions.Multiline)]
    private static partial Regex PrecisionRow();
}
