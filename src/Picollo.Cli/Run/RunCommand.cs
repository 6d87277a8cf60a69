using System.CommandLine.Parsing;
using Picollo.Diagnostics;

namespace Picollo.Cli.Run;

/// <summary>The <c>picollo run</c> command: defines and validates its options.</summary>
internal static class RunCommand
{
    public const string Name = "run";

    private const string Epilogue = """
        What is measured (--measure, separated by commas):
          latency      where the time of each request goes, and the slowest requests
          runtime      pauses of the garbage collector, delays of the thread pool,
                       waits for locks
          profile      CPU profiles and waits by route, from buttons of the page
          allocations  the bytes that requests allocate
          The CPU time and the duration of each request are always measured.

        Examples:
          picollo run -- dotnet app.dll
          picollo run --port 5050 -- dotnet run
          picollo run --html report.html -- ./app --urls http://127.0.0.1:5000

        Exit codes:
          the exit code of the command, or 128 + N if signal N terminated it
          1     the files of the startup hook, or the report, cannot be written
          2     invalid command line
          126   the command cannot be executed
          127   the command does not exist

        Notes:
          The application is not changed: it loads a startup hook of .NET, which adds
          a middleware to each web host and serves the page on its own port of this
          machine. It requires .NET 10 or later. Applications that are compiled with
          Native AOT or trimmed run without it, and so do self-contained console
          applications. The address contains a token, which clients of other users
          need. If the page cannot use the port, the application runs without it.
        """;

    private static readonly string[] Measurements = ["latency", "runtime", "profile", "allocations"];

    private static readonly Option<string?> Port = CommandOptions.Text("--port", "PORT", "Port of the page. [default: any free one]");
    private static readonly Option<string?> Measure = CommandOptions.Text(
        "--measure", "LIST", "What is measured in addition to CPU time and duration. [default: latency,runtime,profile]");
    private static readonly Option<string[]> Meters = new("--meter")
    {
        HelpName = "NAME",
        Description = "Show the histograms of a meter, such as System.Net.Http. Can be used more than once.",
        Arity = ArgumentArity.OneOrMore,
    };
    private static readonly Option<bool> Otlp = new("--otlp")
    {
        Description = "Export to an OpenTelemetry receiver: OTEL_EXPORTER_OTLP_ENDPOINT, or port 4318 of this machine.",
    };
    private static readonly Option<string?> Html = CommandOptions.Text(
        "--html", "FILE", "Write the page to a file when the application ends.");
    private static readonly Argument<string[]> Arguments = new("CMD")
    {
        Description = "The command and its arguments, after --.",
        Arity = ArgumentArity.OneOrMore,
    };

    static RunCommand()
    {
        Port.Check(
            word => CommandOptions.Number(word, 1, ushort.MaxValue) is not null,
            word => $"--port must be 1 to {ushort.MaxValue}, not '{word}'.");
        Measure.Check(
            word => ListOf(word).Except(Measurements).FirstOrDefault() is null,
            word => $"--measure can contain only {string.Join(", ", Measurements)}, not '{ListOf(word).Except(Measurements).First()}'.");
    }

    public static Command Create(Terminal terminal)
    {
        Command command = new(Name, "Run a .NET application and show where the time of its requests goes, without changing it.")
        {
            Port, Measure, Meters, Otlp, Html, Arguments,
        };
        command.Check(result => result.GetResult(Arguments)?.Tokens is [var first, ..] && first.Value.StartsWith('-')
            ? $"Unrecognized option '{first.Value}'."
            : null);
        command.SetAction(parsed => ApplicationRunner.Run(terminal, Read(parsed)));
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    internal static RunOptions Read(ParseResult parsed)
    {
        string[] command = parsed.GetValue(Arguments)!;
        return new RunOptions(MeasuredCommand.FromArguments(command[0], command.AsSpan(1)))
        {
            Port = parsed.GetValue(Port),
            Measure = parsed.GetValue(Measure) ?? "latency,runtime,profile",
            Meters = parsed.GetValue(Meters) ?? [],
            IsExporting = parsed.GetValue(Otlp),
            HtmlPath = parsed.GetValue(Html),
        };
    }

    private static string[] ListOf(string word) => word.Split(',', StringSplitOptions.TrimEntries);
}

internal sealed record RunOptions(MeasuredCommand Command)
{
    public string? Port { get; init; }

    public required string Measure { get; init; }

    public IReadOnlyList<string> Meters { get; init; } = [];

    public bool IsExporting { get; init; }

    public string? HtmlPath { get; init; }
}
