using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Picollo.Cli.Hist;

/// <summary><c>picollo hist</c>: numbers, logs of histograms and percentile distributions as a summary, a comparison, a chart and
/// files.</summary>
internal static class HistCommand
{
    private const double MostScale = 1e9;
    private const string Skip = "skip";

    private const string Epilogue = """
        Inputs:
          Lines that are a number each, of 0 or more: 12, 0.5, 1e3. Whole numbers up
          to 18,446,744,073,709,551,615 are counted as they are.
          Separated values (comma, semicolon or tab) with --column.
          Interval logs (.hlog) and percentile distributions (.hgrm) of the HdrHistogram
          family, told by their ending or how they start. Of a distribution only its
          steps are known, so its mean is above the true one.

        Examples:
          picollo hist latency.txt
          awk '{print $NF}' access.log | picollo hist --unit s
          picollo hist requests.csv --column duration --scale 1000 --unit ms
          picollo hist monday.hlog tuesday.hlog --hlog both.hlog --html both.html
          picollo hist monday.hlog --from 60 --to 120
          picollo hist --diff before.txt after.txt --svg diff.svg
          picollo hist latency.txt --json |
            jq '.percentiles[] | select(.percentile == 99).value'

        Exit codes:
          0    done
          1    an input cannot be read, has a line that is no number or has no number,
               or a file cannot be written
          2    the command line is not understood
          130  interrupted by Ctrl+C; the summary is of what was read by then
          141  whoever read the output has ended
        """;

    private static readonly Argument<string[]> Files = new("FILE")
    {
        Description = "Read and merge these; none or - is standard input.",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private static readonly Option<string?> Column = CommandOptions.Text(
        "--column", "NAME|N", "Read a column of separated values: its name or number, from 1.");
    private static readonly Option<string?> Tag = CommandOptions.Text("--tag", "TAG", "Read only the intervals of logs with this tag.");
    private static readonly Option<string?> From = CommandOptions.Text(
        "--from", "TIME", "Read logs from then on: seconds since the log's start, or a time such as 2026-11-23T08:00Z.");
    private static readonly Option<string?> To = CommandOptions.Text(
        "--to", "TIME", "Read the intervals of logs that start before then.");
    private static readonly Option<bool> Diff = new("--diff") { Description = "Compare the last FILE with those before it." };

    private static readonly Option<string> Unit = new("--unit")
    {
        Description = "Name the unit of what is shown, such as ms.",
        HelpName = "TEXT",
        DefaultValueFactory = _ => "",
    };

    private static readonly Option<double> Scale = new("--scale")
    {
        Description = "Multiply the numbers by this: 1e-6 for ns as ms.",
        HelpName = "FACTOR",
        CustomParser = ParseScale,
        DefaultValueFactory = _ => 1,
    };

    private static readonly Option<string> OnError = new("--on-error")
    {
        Description = "Fail at a line that is no number, or skip and report it.",
        HelpName = "fail|skip",
        DefaultValueFactory = _ => "fail",
    };

    private static readonly Option<string?> Title = CommandOptions.Text(
        "--title", "TEXT", "Set the heading of the table, the plot and the page. [default: the names of the inputs]");

    private static readonly Option<string?> Svg = CommandOptions.Text("--svg", "FILE", "Write a plot of the percentiles.");
    private static readonly Option<string?> Html = CommandOptions.Text("--html", "FILE", "Write a page with plots and a table.");
    private static readonly Option<string?> Log = CommandOptions.Text("--hlog", "FILE", "Write an interval log of what is shown.");

    private static readonly Option<bool> Json = new("--json") { Description = "Print one line of JSON instead of table and chart." };

    static HistCommand()
    {
        OnError.Check(word => word is "fail" or Skip, word => $"--on-error is fail or skip, not '{word}'.");
        Files.Validators.Add(result =>
        {
            if (result.Tokens.FirstOrDefault(token => token.Value.Length > 1 && token.Value[0] == '-') is { } option)
            {
                result.AddError($"Unrecognized option '{option.Value}'; a file of that name is './{option.Value}'.");
            }
        });
    }

    public static Command Create(Terminal terminal)
    {
        Command command = new("hist", "Print percentiles of numbers and logs, or compare two of them.")
        {
            Files, Column, Tag, From, To, Diff, Unit, Scale, OnError, Title, Svg, Html, Log, Json,
        };
        command.Check(Validate);
        command.SetAction(parsed => Run(parsed, terminal));
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    private static int Run(ParseResult parsed, Terminal terminal)
    {
        using Interrupt interrupt = new();
        string[] files = parsed.GetValue(Files) is { Length: > 0 } given ? given : [DistributionReader.StandardInput];
        BadLines badLines = new(areSkipped: parsed.GetValue(OnError) == Skip);
        _ = LogPart.TryParse(parsed.GetValue(From), parsed.GetValue(To), out LogPart? part); // validated
        List<Distribution> inputs = [];
        if (parsed.GetValue(Diff))
        {
            string[] first = files.Length > 1 ? files[..^1] : [DistributionReader.StandardInput];
            (Distribution before, Distribution after) = Distribution.InOneUnit(Read(first), Read(files[^1..]));
            inputs.AddRange([before, after]);
        }
        else
        {
            inputs.Add(Read(files));
        }

        badLines.Report(terminal.Error);
        if (inputs.Find(input => input.Histogram.TotalCount == 0) is { } empty && interrupt.ExitCode is null)
        {
            throw new CommandException($"{empty.Name}: no numbers");
        }

        terminal.LeaveInterruptLine(interrupt);
        HistResult result = new(inputs, ForeignText.Clean(parsed.GetValue(Unit)!), parsed.GetValue(Scale))
        {
            SkippedLineCount = badLines.Count,
            IsInterrupted = interrupt.Token.IsCancellationRequested,
            AskedTitle = parsed.GetValue(Title) is { } title ? ForeignText.Clean(title) : null,
        };
        try
        {
            if (parsed.GetValue(Svg) is { } svg)
            {
                HistFiles.WriteSvg(svg, result);
                terminal.ReportWritten(svg);
            }

            if (parsed.GetValue(Html) is { } html)
            {
                HistFiles.WriteHtml(html, result);
                terminal.ReportWritten(html);
            }

            if (parsed.GetValue(Log) is { } log)
            {
                HistFiles.WriteLog(log, result);
                terminal.ReportWritten(log);
            }
        }
        finally
        {
            // Also if a disk is full: reading may have taken long.
            if (parsed.GetValue(Json))
            {
                terminal.Out.WriteLine(HistJson.Of(result));
            }
            else
            {
                result.Write(terminal.Out, terminal.Width, Console.IsOutputRedirected ? null : Terminal.WindowSize?.Rows);
            }

            terminal.Out.Flush();
        }

        return interrupt.ExitCode ?? ExitCodes.Success;

        Distribution Read(IReadOnlyList<string> paths) => new DistributionReader(
            parsed.GetValue(Column), parsed.GetValue(Tag), part!, badLines, terminal, interrupt.Token).Read(paths);
    }

    private static void Validate(CommandResult command)
    {
        if (!LogPart.TryParse(command.GetValue(From), command.GetValue(To), out _))
        {
            command.AddError("--from and --to are numbers of seconds, or times such as 2026-11-23T08:00Z.");
        }

        if (command.GetValue(Diff))
        {
            if (command.GetValue(Log) is not null)
            {
                command.AddError("--hlog is for a single distribution, not for --diff.");
            }

            string[] files = command.GetValue(Files) ?? [];
            if (files.Length == 0)
            {
                command.AddError("--diff compares two files, or standard input and a file.");
            }
            else if (files[^1] == DistributionReader.StandardInput
                && (files.Length == 1 || files.AsSpan(0, files.Length - 1).Contains(DistributionReader.StandardInput)))
            {
                command.AddError("Standard input is one of the two inputs, not both.");
            }
        }
    }

    private static double ParseScale(ArgumentResult argument)
    {
        const NumberStyles Style = NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        if (double.TryParse(argument.Tokens[0].Value, Style, CultureInfo.InvariantCulture, out double scale)
            && scale is >= 1 / MostScale and <= MostScale)
        {
            return scale;
        }

        argument.AddError($"--scale is a number from 1e-9 to 1e9, not '{argument.Tokens[0].Value}'.");
        return 1;
    }
}
