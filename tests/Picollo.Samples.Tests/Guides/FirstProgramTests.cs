using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Picollo.Analyzers;

namespace Picollo.Samples.Tests.Guides;

/// <summary>A user who types the commands of a document and then its first program gets a program that compiles without warnings: each document
/// first creates a project and adds packages, and its first block of C# code compiles unchanged as the Program.cs of this project.</summary>
public sealed partial class FirstProgramTests
{
    /// <summary>Documents whose first block of C# code is not a program, with the reason.</summary>
    private static readonly Dictionary<string, string> WithoutFirstProgram = new()
    {
        ["docs/analyzers.md"] = "the code shows mistakes that the analyzers report",
        ["docs/benchmarkdotnet.md"] = "the program has two files",
        ["docs/migrating.md"] = "each section changes an existing program",
        ["docs/platforms.md"] = "no code",
        ["docs/security.md"] = "single lines for the application of the ASP.NET Core guide",
        ["src/Picollo.BenchmarkDotNet/README.md"] = "the program has two files, which Picollo.Platform.Tests builds and runs",
    };

    /// <summary>The README shows its program first. The commands follow in the section "Install".</summary>
    private const string ProgramBeforeCommands = "README.md";

    /// <summary>The projects and packages to which this test project refers, directly or indirectly, by name.</summary>
    private static readonly Dictionary<string, JsonElement> Libraries = ReadLibraries();

    public static TheoryData<string> Documents =>
        [.. AllDocuments().Where(document => document.CodeBlocks.Any()).Select(document => document.Path).Where(path => !WithoutFirstProgram.ContainsKey(path))];

    [Theory]
    [Trait("Category", "Slow")]
    [MemberData(nameof(Documents))]
    public async Task The_first_program_compiles_in_the_project_that_the_commands_create(string path)
    {
        Match[] blocks = Block().Matches(Markdown.Of(path).Text).ToArray();
        int first = Array.FindIndex(blocks, block => block.Groups["language"].Value == "csharp");
        first.Should().BeGreaterThanOrEqualTo(0, "{0} contains a program", path);
        IEnumerable<Match> before = path == ProgramBeforeCommands ? blocks : blocks[..first];
        string commands = string.Concat(before.Where(block => block.Groups["language"].Value is "" or "bash").Select(block => block.Groups["text"].Value));
        Match template = NewProject().Match(commands);
        string[] packages = [.. AddPackage().Matches(commands).Select(match => match.Groups[1].Value)];

        template.Success.Should().BeTrue("{0} creates a project (dotnet new) before its first program", path);
        packages.Should().NotBeEmpty("{0} adds packages (dotnet add package) before its first program", path);
        string code = blocks[first].Groups["text"].Value;
        (await DiagnosticsAsync(code, isWeb: template.Groups[1].Value == "web", packages)).Should().BeEmpty("the program is in {0}", path);
    }

    private static IEnumerable<Markdown> AllDocuments() => [Markdown.Of("README.md"), .. Markdown.Below("docs"), .. DocumentTests.PackagePages()];

    /// <summary>Returns the errors and warnings of the compiler and of the analyzers in the packages.</summary>
    private static async Task<IEnumerable<Diagnostic>> DiagnosticsAsync(string code, bool isWeb, string[] packages)
    {
        HashSet<string> libraries = [];
        foreach (string package in packages)
        {
            AddWithDependencies(package, libraries);
        }

        // The package Picollo.AspNetCore refers to the framework ASP.NET Core, so that the project gets it, too.
        bool isServer = isWeb || libraries.Contains("Picollo.AspNetCore");
        CSharpCompilation compilation = CSharpCompilation.Create(
            "Program",
            [DocumentCode.Parse(isWeb ? DocumentCode.ConsoleUsings + DocumentCode.WebUsings : DocumentCode.ConsoleUsings), DocumentCode.Parse(code)],
            [
                .. AssembliesNextTo(typeof(object)),
                .. isServer ? AssembliesNextTo(typeof(WebApplication)) : [],
                .. libraries.SelectMany(AssembliesOf),
            ],
            DocumentCode.Options(OutputKind.ConsoleApplication));
        return (await compilation.WithAnalyzers([new DiscardAnalyzer(), new WatcherAnalyzer()]).GetAllDiagnosticsAsync())
            .Where(diagnostic => diagnostic.Severity >= DiagnosticSeverity.Warning);
    }

    private static IEnumerable<MetadataReference> AssembliesNextTo(Type type) =>
        DocumentCode.Assemblies.Where(path => Path.GetDirectoryName(path) == Path.GetDirectoryName(type.Assembly.Location)).Select(DocumentCode.Reference);

    private static IEnumerable<MetadataReference> AssembliesOf(string library) => Libraries[library].TryGetProperty("runtime", out JsonElement assemblies)
        ? assemblies.EnumerateObject().Select(one => DocumentCode.Reference(Path.Combine(AppContext.BaseDirectory, Path.GetFileName(one.Name))))
        : [];

    private static void AddWithDependencies(string library, HashSet<string> added)
    {
        Libraries.Keys.Should().Contain(library, "this test project refers to all packages of the programs");
        if (added.Add(library) && Libraries[library].TryGetProperty("dependencies", out JsonElement dependencies))
        {
            foreach (JsonProperty dependency in dependencies.EnumerateObject())
            {
                AddWithDependencies(dependency.Name, added);
            }
        }
    }

    private static Dictionary<string, JsonElement> ReadLibraries()
    {
        string path = Path.ChangeExtension(typeof(FirstProgramTests).Assembly.Location, ".deps.json");
        using JsonDocument dependencies = JsonDocument.Parse(File.ReadAllText(path));
        return dependencies.RootElement.GetProperty("targets").EnumerateObject().Single().Value.EnumerateObject()
            .ToDictionary(library => library.Name.Split('/')[0], library => library.Value.Clone());
    }

    [GeneratedRegex("^```(?<language>[a-z]*)\n(?<text>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Block();

    [GeneratedRegex("^dotnet new (console|web) ", RegexOptions.Multiline)]
    private static partial Regex NewProject();

    [GeneratedRegex(@"^dotnet add package ([\w.]+)", RegexOptions.Multiline)]
    private static partial Regex AddPackage();
}
