using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;

namespace Picollo.Analyzers.Tests;

/// <summary>Compiles a member against the assemblies of the packages and analyzes it.</summary>
internal static class Snippet
{
    private static readonly ImmutableArray<DiagnosticAnalyzer> Analyzers = [new DiscardAnalyzer(), new WatcherAnalyzer()];

    private static readonly MetadataReference[] References =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path).StartsWith("System.", StringComparison.Ordinal))
            .Append(typeof(CpuUtils).Assembly.Location)
            .Append(typeof(Scheduling.CpuWorkerPool).Assembly.Location)
            .Select(path => MetadataReference.CreateFromFile(path)),
    ];

    /// <summary>Returns the rule and the reported text of each diagnostic in a member of a class with a few fields.</summary>
    public static async Task<string[]> ReportsAsync(string member)
    {
        ImmutableArray<Diagnostic> found = await AnalyzeAsync(Document(member));
        return [.. found.Select(diagnostic =>
            $"{diagnostic.Id}: {diagnostic.Location.SourceTree!.GetText().ToString(diagnostic.Location.SourceSpan)}")];
    }

    /// <summary>Returns the printed text of each diagnostic, including the severity.</summary>
    public static async Task<Diagnostic> SingleAsync(string member) => (await AnalyzeAsync(Document(member))).Should().ContainSingle().Subject;

    /// <summary>Returns the member after the fix of its only diagnostic; null if there is no fix.</summary>
    public static async Task<string?> FixedAsync(string member)
    {
        Document document = Document(member);
        Diagnostic diagnostic = (await AnalyzeAsync(document)).Should().ContainSingle().Subject;
        List<CodeAction> actions = [];
        await new DiscardCodeFix().RegisterCodeFixesAsync(
            new CodeFixContext(document, diagnostic, (action, _) => actions.Add(action), CancellationToken.None));
        if (actions.Count == 0)
        {
            return null;
        }

        ImmutableArray<CodeActionOperation> operations = await actions.Single().GetOperationsAsync(CancellationToken.None);
        Solution changed = operations.OfType<ApplyChangesOperation>().Single().ChangedSolution;
        Document result = changed.GetDocument(document.Id)!;
        (await AnalyzeAsync(result)).Should().BeEmpty("the fix leaves nothing to report");
        SourceText text = await result.GetTextAsync();
        return text.ToString().Split("// begin\n")[1].Split("// end")[0].Trim();
    }

    private static Document Document(string member)
    {
        string code = $$"""
            using System;
            using System.Collections.Generic;
            using System.Threading.Tasks;
            using Picollo.Cpu;
            using Picollo.Metrics;
            using Picollo.PerfEvent;
            using Picollo.Scheduling;

            internal sealed class Program
            {
                private readonly HdrHistogram _histogram = HdrHistogram.Create();
                private CpuUsageAsyncWatcher? _watcher;

                private CpuUsageAsyncWatcher? Watcher => _watcher;

                private static void Work(object? value = null) => _ = value;

            // begin
            {{member}}
            // end
            }
            """.ReplaceLineEndings("\n");
        Project project = new AdhocWorkspace().AddProject("Snippet", LanguageNames.CSharp)
            .WithCompilationOptions(new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable))
            .WithMetadataReferences(References);
        return project.AddDocument("Program.cs", code);
    }

    private static async Task<ImmutableArray<Diagnostic>> AnalyzeAsync(Document document)
    {
        Compilation compilation = (await document.Project.GetCompilationAsync())!;
        compilation.GetDiagnostics().Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error).Should().BeEmpty();
        return await compilation.WithAnalyzers(Analyzers).GetAnalyzerDiagnosticsAsync();
    }
}
