using System.Diagnostics;
using System.Net;
using System.Text.RegularExpressions;

namespace Picollo.Cli.Tests.Run;

/// <summary>Tests <c>picollo run</c> with the templates of the SDK, built in the ways that users deploy them.</summary>
[Trait("Category", "Long")]
public sealed partial class TemplateTests : FolderTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromMinutes(2); // with `dotnet run`, which builds

    [TheoryNeeding(Need.Linux)]
    [InlineData("web", "/", "/")]
    [InlineData("mvc", "/", "/Home/Index/{id?}")]
    [InlineData("blazor", "/", "/")]
    [InlineData("grpc", "/", "/")]
    [InlineData("webapi", "/weatherforecast", "/weatherforecast")]
    [InlineData("worker", null, null)]
    [InlineData("console", null, null)]
    public async Task A_published_template_is_measured(string template, string? path, string? route)
    {
        Create(template);
        Tool.Dotnet(Folder.Path, "publish", "-c", "Release", "-o", Folder.PathOf("out"));

        IEnumerable<string> rows = await RunAsync([Tool.DotnetPath, Folder.PathOf($"out/{template}.dll")], path);

        rows.Should().Equal(route is null ? [] : [$"GET {route}"]);
    }

    [TheoryNeeding(Need.Linux)]
    [InlineData("true", "true")]
    [InlineData("true", "false")]
    [InlineData("false", "true")]
    public async Task A_single_file_and_a_self_contained_application_are_measured(string isSelfContained, string isSingleFile)
    {
        Create("web");
        Tool.Dotnet(Folder.Path, "publish", "-r", "linux-x64", "--self-contained", isSelfContained, $"-p:PublishSingleFile={isSingleFile}", "-o", Folder.PathOf("out"));

        (await RunAsync([Folder.PathOf("out/web")], "/")).Should().Equal("GET /");
    }

    [FactNeeding(Need.Linux)]
    public async Task The_SDK_is_not_measured()
    {
        Create("web");

        (await RunAsync([Tool.DotnetPath, "run", "--project", Folder.PathOf("web.csproj")], "/")).Should().Equal("GET /");
    }

    [FactNeeding(Need.Linux)]
    public void An_application_that_disables_startup_hooks_runs_and_the_reason_is_printed()
    {
        Create("webapiaot"); // its project also disables them in a build for the JIT
        Tool.Dotnet(Folder.Path, "build", "-o", Folder.PathOf("out"));

        ToolRun run = PicolloTool.RunInShell($"$picollo run -- timeout -s TERM 20 {Tool.DotnetPath} {Folder.PathOf("out/webapiaot.dll")} --urls http://127.0.0.1:0");

        run.Output.Should().Contain("Application started.");
        run.Error.Should().StartWith("picollo: nothing is measured, because no application has loaded the startup hook.").And.Contain("<StartupHookSupport>true</StartupHookSupport>");
    }

    [FactNeeding(Need.Linux)]
    public void An_application_on_an_older_runtime_runs()
    {
        File.WriteAllText(Folder.PathOf("old.csproj"), """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net8.0</TargetFramework><OutputType>Exe</OutputType></PropertyGroup></Project>""");
        File.WriteAllText(Folder.PathOf("Program.cs"), """System.Console.WriteLine("old");""");
        Tool.Dotnet(Folder.Path, "publish", "-r", "linux-x64", "--self-contained", "true", "-o", Folder.PathOf("out"));

        ToolRun run = PicolloTool.RunInShell($"$picollo run -- {Folder.PathOf("out/old")}");

        (run.ExitCode, run.Output).Should().Be((0, "old\n"));
        run.Error.Should().MatchRegex("^picollo: .NET 10 or later is required, and this application runs on .NET 8[0-9.]+. The application runs without picollo.\n$");
    }

    private void Create(string template) => Tool.Dotnet(Folder.Path, "new", template, "-n", template, "-o", Folder.Path);

    /// <summary>Runs an application, sends a request to it, ends it with a signal, and returns the rows of the report.</summary>
    private async Task<IEnumerable<string>> RunAsync(string[] command, string? path)
    {
        string report = Folder.PathOf("report.html");
        string[] urls = path is null ? [] : ["--urls", "http://127.0.0.1:0"];
        using Process tool = Process.Start(new ProcessStartInfo(PicolloTool.Path, ["run", "--html", report, "--", .. command, .. urls])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        using CancellationTokenSource limit = new(Soon);
        string? address = null;
        bool isStarted = false;
        while (!isStarted && await tool.StandardOutput.ReadLineAsync(limit.Token) is { } line)
        {
            address ??= Address().Match(line) is { Success: true } match ? match.Value : null;
            isStarted = line.Contains("Application started.", StringComparison.Ordinal);
        }

        if (path is not null)
        {
            using HttpClient client = new() { BaseAddress = new Uri(address!) };
            (await client.GetAsync(path, limit.Token)).EnsureSuccessStatusCode();
        }

        Task<string> rest = tool.StandardOutput.ReadToEndAsync(limit.Token);
        if (isStarted)
        {
            (await tool.StandardError.ReadLineAsync(limit.Token)).Should().MatchRegex("^picollo: http://127.0.0.1:[0-9]+/picollo#token=[0-9a-f]{32}$");
            using Process kill = Process.Start("kill", ["-TERM", $"{tool.Id}"]);
        }

        await tool.WaitForExitAsync(limit.Token);
        await rest;
        (tool.ExitCode, await tool.StandardError.ReadToEndAsync(limit.Token)).Should().Be((0, $"picollo: wrote {report}\n"));
        return Heading().Matches(await File.ReadAllTextAsync(report, limit.Token)).Select(heading => WebUtility.HtmlDecode(Tag().Replace(heading.Groups[1].Value, "")));
    }

    [GeneratedRegex("<h2>(.*?)</h2>")]
    private static partial Regex Heading();

    [GeneratedRegex("<[^>]*>")]
    private static partial Regex Tag();

    [GeneratedRegex("http://127.0.0.1:[0-9]+")]
    private static partial Regex Address();
}
