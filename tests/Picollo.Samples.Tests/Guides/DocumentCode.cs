using System.Collections.Concurrent;
using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Picollo.Analyzers;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Compiles and runs the C# blocks of documents as they are. A block has the usings of the earlier blocks of its document.</summary>
internal static partial class DocumentCode
{
    // The implicit usings of Microsoft.NET.Sdk, and those that Microsoft.NET.Sdk.Web adds.
    public const string ConsoleUsings =
        """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Net.Http;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    public const string WebUsings =
        """

        global using System.Net.Http.Json;
        global using Microsoft.AspNetCore.Builder;
        global using Microsoft.AspNetCore.Hosting;
        global using Microsoft.AspNetCore.Http;
        global using Microsoft.AspNetCore.Routing;
        global using Microsoft.Extensions.Configuration;
        global using Microsoft.Extensions.DependencyInjection;
        global using Microsoft.Extensions.Hosting;
        global using Microsoft.Extensions.Logging;
        """;

    /// <summary>What the blocks of the guides use, and the reader's program or the text around them declares.</summary>
    private const string Context =
        """
        global using static Context;
        using System.Buffers;
        using Picollo.AspNetCore;
        using Picollo.Cpu;
        using Picollo.Export;
        using Picollo.Metrics;
        using Picollo.Profiling;
        using Picollo.Scheduling;

        public static class Context
        {
            public static WebApplicationBuilder builder = null!;
            public static WebApplication app = null!;
            public static HttpRequest request = null!;
            public static HttpResponse response = null!;
            public static PicolloOptions options = null!;
            public static HdrHistogram histogram = Recorded(2, 3, 3), latency = HdrHistogram.Create();
            public static HdrHistogram queueing = HdrHistogram.Factory.WithSignificantDigits(3).Create();
            public static HdrHistogramRegistry registry = new();
            public static KeyValuePair<string, ReadOnlyHdrHistogram>[] series = [new("before", histogram), new("after", histogram)];
            public static HdrHistogramUnit milliseconds = new() { Name = "ms", Ratio = 1e6 };
            public static PrometheusWriter writer = new();
            public static IBufferWriter<byte> output = new ArrayBufferWriter<byte>();
            public static CpuWorkerPool pool = CpuWorkerPool.Shared;
            public static CpuTaskContext cpu = CpuTaskContext.None;
            public static CpuProfile profile = null!, after = null!;
            public static HashSet<int> watched = [int.MaxValue];
            public static DateTimeOffset start = DateTimeOffset.UnixEpoch, end = start.AddSeconds(1);
            public static CancellationToken cancellationToken;
            public static byte[][] blocks = [new byte[5], new byte[4]];
            public static int processId = int.MaxValue, id = 1, threads = 2;
            public static long jobsDone;
            public static string path = (string)AppContext.GetData("latency.hlog")!, key = "";

            private static HdrHistogram Recorded(params ulong[] values)
            {
                HdrHistogram recorded = HdrHistogram.Create();
                recorded.Record(values);
                return recorded;
            }

            public static void DoWork() => Thread.SpinWait(100);
            public static void Work() => Thread.SpinWait(100);
            public static async Task WorkAsync() => await Task.Yield();
            public static async Task HandleRequest() => await Task.Yield();
            public static Task PrepareAsync() => Task.CompletedTask;
            public static Task ImportAsync(CancellationToken token = default) => Task.CompletedTask;
            public static Task SaveAsync(byte[] block, CancellationToken token) => Task.Delay(1, token);
            public static void Compress(byte[] block) => Array.Reverse(block);
            public static byte[] ReadBlock(int block) => [];
            public static uint Append(uint sum, byte[] block) => sum;
            public static async Task<long> CountPrimesAsync(CpuTaskContext cpu)
            {
                await cpu.CheckpointAsync();
                return 5;
            }

            public sealed record Order(uint Size);
            public sealed class Aggregation : Picollo.Samples.Benchmarks.Aggregation;
        }
        """;

    private static readonly ConcurrentDictionary<string, MetadataReference> References = [];

    private static readonly CSharpCompilation Pages = CSharpCompilation.Create(
        "Program",
        [Parse(ConsoleUsings + WebUsings)],
        Assemblies.Select(Reference),
        Options(OutputKind.ConsoleApplication));

    private static readonly CSharpCompilation Guides = Pages.AddSyntaxTrees(Parse(Context));

    /// <summary>The paths of all assemblies of this process.</summary>
    public static string[] Assemblies => ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator);

    /// <summary>Returns the same object for the same path, so that the compiler reads an assembly once.</summary>
    public static MetadataReference Reference(string path) => References.GetOrAdd(path, static path => MetadataReference.CreateFromFile(path));

    public static SyntaxTree Parse(string code) => CSharpSyntaxTree.ParseText(code, new CSharpParseOptions(LanguageVersion.CSharp14));

    public static CSharpCompilationOptions Options(OutputKind kind) => new(kind, nullableContextOptions: NullableContextOptions.Enable, warningLevel: 9999);

    /// <summary>Returns the errors, and the warnings of the analyzers in the packages, as <c>line: id</c>.</summary>
    public static async Task<IEnumerable<string>> DiagnosticsAsync(string path, int index)
    {
        (CSharpCompilation compilation, SyntaxTree program) = Compile(path, index, code => code);
        SemanticModel model = compilation.GetSemanticModel(program);
        CompilationWithAnalyzers analyzed = compilation.WithAnalyzers([new DiscardAnalyzer(), new WatcherAnalyzer()]);
        return [.. model.GetDiagnostics().Where(one => one.Severity == DiagnosticSeverity.Error).Select(one => one.ToString()),
            .. (await analyzed.GetAnalyzerSemanticDiagnosticsAsync(model, null, default)).Select(one => $"{one.Location.GetLineSpan().StartLinePosition.Line}: {one.Id}")];
    }

    /// <summary>Runs a block that is followed by other statements, and returns its output. Its files are in a folder.</summary>
    public static string Run(string path, int index, string folder, string next = "")
    {
        AppContext.SetData("latency.hlog", Path.Combine(folder, "latency.hlog"));
        using MemoryStream image = new();
        (CSharpCompilation compilation, _) = Compile(path, index, code => FileName().Replace(code, name => $"@\"{Path.Combine(folder, name.Groups[1].Value)}\"") + next);
        compilation.Emit(image).Diagnostics.Should().NotContain(one => one.Severity == DiagnosticSeverity.Error, "{0} contains the code", path);
        MethodInfo main = Assembly.Load(image.ToArray()).EntryPoint!;
        return ConsoleOutput.Of(() => main.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [Array.Empty<string>()], null));
    }

    private static (CSharpCompilation Compilation, SyntaxTree Program) Compile(string path, int index, Func<string, string> change)
    {
        string[] blocks = [.. Markdown.Of(path).CodeBlocks];
        string usings = string.Concat(blocks[..index].SelectMany(block => UsingDirective().Matches(block)).Select(match => $"global {match}\n").Distinct());
        bool isMethod = blocks[index].StartsWith("public void ", StringComparison.Ordinal);
        SyntaxTree program = Parse(isMethod ? $"class Startup {{ {blocks[index]} }}" : change(blocks[index]));
        bool isProgram = program.GetCompilationUnitRoot().Members.OfType<GlobalStatementSyntax>().Any();
        CSharpCompilation compilation = path.StartsWith("docs/", StringComparison.Ordinal) || index > 0 ? Guides : Pages;
        return (compilation.AddSyntaxTrees(program, Parse(usings))
            .WithOptions(Options(isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary)), program);
    }

    [GeneratedRegex("\"([a-z]+[.](hlog|html|svg|txt))\"")]
    private static partial Regex FileName();

    [GeneratedRegex(@"^using [A-Z][\w.]*;", RegexOptions.Multiline)]
    private static partial Regex UsingDirective();
}
