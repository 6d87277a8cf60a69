using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Picollo.Cli.Tests.Run;

/// <summary>Tests that <c>picollo run</c> measures applications that do not know it, and changes nothing else about them.</summary>
[Trait("Category", "Slow")]
public sealed partial class RunCommandTests : FolderTests
{
    private const int ExitCode = 3; // of ForeignApp

    private static readonly string[] Foreign = [Tool.DotnetPath, PathOf("ForeignApp")];

    private readonly string _environment;
    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ConcurrentQueue<string> _output = new();

    public RunCommandTests() => _environment = $"export XDG_DATA_HOME={Folder.Path}; A='{string.Join(' ', Foreign)}'; ";

    [Theory]
    [InlineData("builder", "/work/{id}")]
    [InlineData("slim", "/work/{id}")]
    [InlineData("empty", "/work/{id}")]
    [InlineData("host", "/work/{id}")]
    [InlineData("old", "/work/{id}")]
    [InlineData("worker", null)]
    [InlineData("console", null)]
    public void Each_kind_of_host_is_measured_and_nothing_else_changes(string kind, string? route)
    {
        string report = Folder.PathOf("report.html");
        ToolRun without = Script($"$A {kind} child");

        ToolRun run = Script($"$picollo run --html {report} -- $A {kind} child");

        (run.ExitCode, without.ExitCode).Should().Be((ExitCode, ExitCode));
        FactsOf(run).Should().Equal(FactsOf(without)).And.NotContain(fact => fact.Contains("HOOK", StringComparison.Ordinal));
        string page = File.ReadAllText(report);
        page.Should().Contain("<title>ForeignApp · Picollo</title>");
        page.Contains("/work/{id}", StringComparison.Ordinal).Should().Be(route is not null);
        page.Contains("WorkHub.Echo", StringComparison.Ordinal).Should().Be(kind == "builder");
        page.Should().NotContain("href=\"?").And.NotContain("href=\"#profiles", "links lead to plots in the file");
        Section().Matches(page).All(section => page.Contains($"href=\"#{section.Value}\"", StringComparison.Ordinal)).Should().BeTrue();
    }

    [Fact]
    public async Task The_page_has_its_own_address_and_the_tool_ends_with_the_application()
    {
        using Process tool = Start(["--measure", "latency,allocations", "--meter", "System.Net.Http", "--", .. Foreign, "builder", "wait"]);
        Uri address = await AddressAsync(tool);
        using HttpClient client = new() { BaseAddress = address };

        string json;
        do
        {
            json = await client.GetStringAsync("/picollo/json");
        }
        while (RouteOf(json) is not { } route || route.GetProperty("count").GetInt32() < 5 || !json.Contains("http.client.request.duration"));
        tool.StandardInput.Close();
        await tool.WaitForExitAsync();

        JsonElement work = RouteOf(json)!.Value;
        work.GetProperty("count").GetInt32().Should().Be(5);
        work.GetProperty("allocatedBytes").ValueKind.Should().Be(JsonValueKind.Object);
        work.GetProperty("breakdown").GetProperty("mean").EnumerateObject().Select(state => state.Name).Should().Contain("cpu").And.NotContain("run_queue");
        tool.ExitCode.Should().Be(ExitCode);
        _output.Should().Contain("metric Microsoft.AspNetCore.Hosting http.server.request.duration: 7").And.NotContain(line => line.Contains("Picollo.Page"));
    }

    [FactNeeding(Need.Linux)]
    public async Task A_signal_ends_the_application_and_the_report_is_written()
    {
        string report = Folder.PathOf("report.html");
        using Process tool = Start(["--html", report, "--", .. Foreign, "console", "wait"]);
        await AddressAsync(tool);

        using Process kill = Process.Start("kill", ["-INT", $"{tool.Id}"]);
        await tool.WaitForExitAsync();

        tool.ExitCode.Should().Be(130);
        File.ReadAllText(report).Should().Contain("ForeignApp");
    }

    [FactNeeding(Need.Linux)]
    public async Task The_application_receives_all_signals_and_decides_when_it_ends()
    {
        const string Shell = "n=0; trap 'n=$((n+1)); echo $n >&2' INT; echo 0 >&2; until [ $n = 2 ]; do sleep 0.05; done; exit 5";
        using Process tool = Start("--", "/bin/bash", "-c", Shell);
        foreach (string count in (string[])["0", "1"])
        {
            (await tool.StandardError.ReadLineAsync()).Should().Be(count);
            await Task.Delay(TimeSpan.FromSeconds(0.5)); // two signals at once are one
            using Process kill = Process.Start("kill", ["-INT", $"{tool.Id}"]);
        }

        await tool.WaitForExitAsync();
        tool.ExitCode.Should().Be(5);
    }

    [Fact]
    public void An_application_that_fails_or_a_command_that_does_not_exist_has_its_exit_code()
    {
        Script("$picollo run -- $A console throw").Should().Match<ToolRun>(run => run.ExitCode == 134 && run.Error.Contains("The application fails."));
        Script("$picollo run -- /no/such/command").ExitCode.Should().Be(127);
    }

    [Fact]
    public async Task Histograms_are_exported_at_the_end()
    {
        using TcpListener free = new(IPAddress.Loopback, 0);
        free.Start();
        string address = $"http://127.0.0.1:{((IPEndPoint)free.LocalEndpoint).Port}/";
        free.Stop();
        using HttpListener receiver = new() { Prefixes = { address } };
        receiver.Start();

        Task<ToolRun> run = Task.Run(() => Script(
            $"export OTEL_EXPORTER_OTLP_ENDPOINT={address} OTEL_EXPORTER_OTLP_COMPRESSION=none OTEL_METRIC_EXPORT_INTERVAL=600000; $picollo run --otlp -- $A builder"));
        Task<HttpListenerContext> received = receiver.GetContextAsync();
        (await Task.WhenAny(received, run)).Should().BeSameAs(received);
        HttpListenerContext export = await received;
        string body = await new StreamReader(export.Request.InputStream, Encoding.Latin1).ReadToEndAsync();
        export.Response.Close();

        (await run).ExitCode.Should().Be(ExitCode);
        export.Request.Url!.AbsolutePath.Should().Be("/v1/metrics");
        body.Should().Contain("ForeignApp").And.Contain("/work/{id}").And.Contain("WorkHub.Echo");
    }

    [Fact]
    public async Task An_application_runs_although_the_port_is_in_use()
    {
        using TcpListener other = new(IPAddress.Loopback, 0);
        other.Start();

        using Process tool = Start(["--port", $"{((IPEndPoint)other.LocalEndpoint).Port}", "--", .. Foreign, "builder", "wait"]);
        string? line = await tool.StandardError.ReadLineAsync();
        tool.StandardInput.Close();
        await tool.WaitForExitAsync();

        tool.ExitCode.Should().Be(ExitCode);
        line.Should().MatchRegex("^picollo: The page cannot use port [0-9]+: .* The application runs without picollo.$");
        (await tool.StandardError.ReadToEndAsync()).Should().BeEmpty();
    }

    [Fact]
    public void A_program_that_does_not_load_the_hook_runs_and_a_missing_report_is_an_error()
    {
        Script("$picollo run -- echo text").Should().Match<ToolRun>(run =>
            run.ExitCode == 0 && run.Output == "text\n" && run.Error.StartsWith("picollo: nothing is measured, because no application has loaded the startup hook."));
        Script($"$picollo run --html {Folder.PathOf("x")} -- true").Should().Match<ToolRun>(run => run.ExitCode == 1 && run.Error.Contains("x was not written, because nothing was measured."));
        Script($"$picollo run --html {Folder.PathOf("x")} -- bash -c 'exit 4'").ExitCode.Should().Be(4);
    }

    [Fact]
    public void Another_startup_hook_is_called_and_an_incomplete_hook_does_not_end_the_application()
    {
        ToolRun both = Script($"DOTNET_STARTUP_HOOKS={Foreign[1]} $picollo run -- $A console");
        File.Copy(Path.Combine(HookFolder, "Picollo.Hook.dll"), Folder.PathOf("Picollo.Hook.dll"));
        ToolRun incomplete = Script($"DOTNET_STARTUP_HOOKS={Folder.PathOf("Picollo.Hook.dll")} $A console");

        (both.ExitCode, both.Error).Should().Be((ExitCode, ""));
        both.Output.Should().StartWith("another hook\n").And.Contain($"DOTNET_STARTUP_HOOKS={Foreign[1]}\n");
        (incomplete.ExitCode, incomplete.Output).Should().Be((ExitCode, ""));
        incomplete.Error.Should().StartWith("picollo: ").And.EndWith(" The application runs without picollo.\n");
    }

    [FactNeeding(Need.Linux)]
    [UnsupportedOSPlatform("windows")]
    public void Files_that_have_changed_are_replaced_and_a_folder_that_others_can_change_is_refused()
    {
        Script("$picollo run -- true").ExitCode.Should().Be(0);
        string file = Path.Combine(HookFolder, "Picollo.Hosted.dll");
        File.GetUnixFileMode(HookFolder).Should().Be(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        byte[] original = File.ReadAllBytes(file);
        File.WriteAllText(file, "other code");

        Script("$picollo run -- true").ExitCode.Should().Be(0);
        File.ReadAllBytes(file).Should().Equal(original);
        if (Environment.IsPrivilegedProcess)
        {
            string other = Directory.CreateDirectory(Folder.PathOf("other")).FullName;
            Script($"chown 65534 {other}; XDG_DATA_HOME={other} $picollo run -- echo text").Should().Match<ToolRun>(run => run.Error.Contains($": other users can change {other}, so"));
        }

        File.SetUnixFileMode(Folder.Path, (UnixFileMode)0x1FF);
        Script("$picollo run -- echo text").Should().Match<ToolRun>(run =>
            run.ExitCode == 1 && run.Output == "" && run.Error.Contains($": other users can change {Folder.Path}, so that they could run code in your applications;"));
    }

    [FactNeeding(Need.Linux)]
    [UnsupportedOSPlatform("windows")]
    public void Folders_are_created_for_the_owner_and_one_that_the_runtime_cannot_use_is_refused()
    {
        Script($"umask 000; XDG_DATA_HOME={Folder.PathOf("a/b")} $picollo run -- $A console").Should().Match<ToolRun>(run => run.ExitCode == ExitCode && run.Error == "");
        File.GetUnixFileMode(Folder.PathOf("a/b/picollo")).Should().Be(File.GetUnixFileMode(Folder.PathOf("a")));
        Script($"XDG_DATA_HOME={Folder.PathOf("a:b")} $picollo run -- $A console").Should().Match<ToolRun>(run => run.ExitCode == 1 && run.Error.Contains("contains ':'"));
        Script($"TMPDIR=/proc/sys $picollo run -- $A console").Should().Be(new ToolRun(1, "", "picollo: /proc/sys/: No such file or directory\n"));
    }

    [FactNeeding(Need.Linux)]
    public async Task An_application_that_measures_itself_gets_only_the_address() =>
        (await AllocatedBytesOfBlazorAsync(PathOf("BlazorApp"), "picollo: the application calls AddPicollo(), so its own options apply")).Should().Be(JsonValueKind.Null);

    [FactNeeding(Need.Linux)]
    public async Task An_application_with_another_build_of_Picollo_is_measured()
    {
        foreach (string file in Directory.EnumerateFiles(Path.GetDirectoryName(PathOf("BlazorApp"))!))
        {
            File.Copy(file, Folder.PathOf(Path.GetFileName(file)));
        }

        File.AppendAllText(Folder.PathOf("Picollo.Diagnostics.dll"), " ");

        (await AllocatedBytesOfBlazorAsync(Folder.PathOf("BlazorApp.dll"), null)).Should().Be(JsonValueKind.Object);
    }

    /// <summary>Runs BlazorApp, sends a request, and returns the kind of the value that is measured only with the option of the tool.</summary>
    private async Task<JsonValueKind> AllocatedBytesOfBlazorAsync(string program, string? firstLine)
    {
        using Process tool = Start("--measure", "allocations", "--", Tool.DotnetPath, program, "--urls", "http://127.0.0.1:0");
        Uri page = await AddressAsync(tool, firstLine);
        await _started.Task; // a host that is stopped while it starts throws
        using HttpClient client = new();
        await client.GetStringAsync(_output.Select(line => Listening().Match(line)).First(match => match.Success).Value);

        JsonElement json;
        do
        {
            json = JsonDocument.Parse(await client.GetStringAsync($"http://{page.Authority}/picollo/json")).RootElement;
        }
        while (json.GetProperty("routes").GetArrayLength() == 0);
        using Process kill = Process.Start("kill", ["-TERM", $"{tool.Id}"]);
        await tool.WaitForExitAsync();

        tool.ExitCode.Should().Be(0, "{0}", await tool.StandardError.ReadToEndAsync());
        return json.GetProperty("routes")[0].GetProperty("allocatedBytes").ValueKind;
    }

    private static string PathOf(string program) => Path.Combine(
        Repository.Root, "tests", program, Path.GetRelativePath(Path.Combine(Repository.Root, "tests", "Picollo.Cli.Tests"), AppContext.BaseDirectory), $"{program}.dll");

    private string HookFolder => Directory.EnumerateDirectories(Folder.PathOf("picollo")).Single();

    /// <summary>The output without what differs from run to run: the order of the logger's thread and the program, ports and times.</summary>
    private static IEnumerable<string> FactsOf(ToolRun run) => run.Output.Split('\n').Select(line => Varying().Replace(line, "N")).Order(StringComparer.Ordinal);

    private static JsonElement? RouteOf(string json) => JsonDocument.Parse(json).RootElement.GetProperty("routes").EnumerateArray()
        .Where(row => row.GetProperty("route").GetString() == "/work/{id}").Select(row => (JsonElement?)row).SingleOrDefault();

    private static async Task<Uri> AddressAsync(Process tool, string? first = null)
    {
        if (first is not null)
        {
            (await tool.StandardError.ReadLineAsync()).Should().Be(first);
        }

        string? line = await tool.StandardError.ReadLineAsync();
        line.Should().MatchRegex("^picollo: http://127.0.0.1:[0-9]+/picollo#token=[0-9a-f]{32}$");
        return new Uri(line!["picollo: ".Length..]);
    }

    private ToolRun Script(string script) => PicolloTool.RunInShell(_environment + script);

    private Process Start(params string[] arguments)
    {
        ProcessStartInfo start = new(PicolloTool.Path, ["run", .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["XDG_DATA_HOME"] = Folder.Path;
        Process tool = Process.Start(start)!;
        tool.OutputDataReceived += (_, line) =>
        {
            _output.Enqueue(line.Data ?? "");
            if (line.Data?.Contains("Application started", StringComparison.Ordinal) == true)
            {
                _started.TrySetResult();
            }
        };
        tool.BeginOutputReadLine();
        return tool;
    }

    [GeneratedRegex("(?<=127.0.0.1:)[0-9]+|[0-9.]+(?=ms$)")]
    private static partial Regex Varying();

    [GeneratedRegex("(?<=<section id=\")[^\"]+")]
    private static partial Regex Section();

    [GeneratedRegex("(?<=Now listening on: )http.*")]
    private static partial Regex Listening();
}
