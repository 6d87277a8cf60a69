using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The first program of the README, and all programs of the package pages, compile unchanged as the Program.cs of a new project. See
/// <see cref="FirstProgramTests"/> for the guides.</summary>
[Collection(ConsoleOutput.Collection)]
public sealed class ProgramTests
{
    internal static IEnumerable<(string Document, string Code)> Programs
    {
        get
        {
            yield return ("README.md", Markdown.Of("README.md").CodeBlocks.First());

            // The program of Picollo.BenchmarkDotNet has two files. Picollo.Platform.Tests builds and runs it with the package.
            foreach (Markdown page in DocumentTests.PackagePages().Where(page => page.Path != "src/Picollo.BenchmarkDotNet/README.md"))
            {
                foreach (string code in page.CodeBlocks)
                {
                    yield return (page.Path, code);
                }
            }
        }
    }

    public static TheoryData<string, string> Cases
    {
        get
        {
            TheoryData<string, string> cases = [];
            foreach ((string document, string code) in Programs)
            {
                cases.Add(document, code);
            }

            return cases;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void The_program_compiles_unchanged(string document, string code) => Compiled(document, code).GetDiagnostics()
        .Where(one => one.Severity >= DiagnosticSeverity.Warning).Should().BeEmpty("the program is in {0}", document);

    [Fact]
    public void The_first_program_of_the_readme_prints_the_table_in_the_readme()
    {
        using MemoryStream image = new();
        (string document, string code) = Programs.First();
        Compiled(document, code).Emit(image).Success.Should().BeTrue();
        MethodInfo main = Assembly.Load(image.ToArray()).EntryPoint!;

        string[] printed = ConsoleOutput.Of(() => main.Invoke(null, [Array.Empty<string>()])).TrimEnd().Split('\n');

        string text = Markdown.Of(document).Text;
        string shown = text[text.IndexOf("##### ", StringComparison.Ordinal)..];
        shown = shown[..shown.IndexOf("```", StringComparison.Ordinal)];
        FirstCells(shown.Split('\n')).Where(cell => cell != "...").Should().HaveCountGreaterThan(7).And.BeSubsetOf(FirstCells(printed));
        printed[^1].Split('|', StringSplitOptions.TrimEntries).Should().ContainInOrder("Total:", "100,000");
    }

    private static IEnumerable<string> FirstCells(IEnumerable<string> lines) =>
        lines.Where(line => line.Length > 0).Select(line => line.StartsWith('|') ? line.Split('|')[1].Trim() : line);

    private static CSharpCompilation Compiled(string document, string code) => CSharpCompilation.Create(
        "Program",
        [
            CSharpSyntaxTree.ParseText(FirstProgramTests.ImplicitUsings(isWeb: Markdown.Of(document).Text.Contains("dotnet new web", StringComparison.Ordinal))),
            CSharpSyntaxTree.ParseText(code),
        ],
        ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator).Select(path => MetadataReference.CreateFromFile(path)),
        new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable));
}
