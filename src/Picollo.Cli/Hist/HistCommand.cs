using System.CommandLine.Parsing;

namespace Picollo.Cli.Hist;

/// <summary>The <c>picollo hist</c> command: summarizes, compares and plots numbers, histogram logs and percentile distributions.</summary>
internal static class HistCommand
{
    private const double MaxScale = 1e9;
    private const string Skip = "skip";

    private const string Epilogue = """
        Inputs:
          One number of 0 or more per line, such as 12, 0.5 or 1e3. Whole numbers up to
          18,446,744,073,709,551,615 are counted exactly.
          CSV (with commas, semicolons or tabs) with --column.
          HdrHistogram interval logs (.hlog) and percentile distributions (.hgrm), also
          within the output of wrk2, vegeta and other tools. They are recognized by
          content, or specified with --format. A percentile distribution only contains
          upper bounds, so the mean is overestimated.

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
          0    success
          1    an input cannot be read, contains an invalid line or contains no numbers,
               or a file cannot be written
          2    invalid command line
          130  interrupted by Ctrl+C; the summary covers the input read so far
          141  the reader of the output closed the pipe
        """;

    private static readonly Argument<string[]> Files = new("FILE")
    {
        Description = "Files to read and merge, or - for standard input. [default: -]",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private static readonly Option<string?> Column = CommandOptions.Text(
        "--column", "NAME|N", "CSV column to read: its name, or its number starting at 1.");
    private static readonly Option<string?> Format = CommandOptions.Text(
        "--format", "NAME", $"Format of the inputs: {InputFormats.AllNames}. [default: recognized by content]");
    private static readonly Option<string?> Tag = CommandOptions.Text(
        "--tag", "TAG", "Tag of the log intervals to read. [default: all intervals]");
    private static readonly Option<bool> Untagged = new("--untagged") { Description = "Read only the log intervals without a tag." };
    private static readonly Option<string?> From = CommandOptions.Text(
        "--from", "TIME", "Start of the log part to read: seconds since the log's start, or a time such as 2026-11-23T08:00Z.");
    private static readonly Option<string?> To = CommandOptions.Text(
        "--to", "TIME", "End of the log part to read; intervals that start at or after it are skipped.");
    private static readonly Option<bool> Diff = new("--diff") { Description = "Compare the last FILE with the merged FILEs before it." };

    private static readonly Option<string> Unit = new("--unit")
    {
        Description = "Name of the displayed unit, such as ms.",
        HelpName = "TEXT",
        DefaultValueFactory = _ => "",
    };

    private static readonly Option<double> Scale = new("--scale")
    {
        Description = "Factor that converts the numbers to the displayed unit: 1e-6 shows ns as ms.",
        HelpName = "FACTOR",
        CustomParser = ParseScale,
        DefaultValueFactory = _ => 1,
    };

    private static readonly Option<string> OnError = new("--on-error")
    {
        Description = "On an invalid line: fail, or skip it and report the first few.",
        HelpName = "fail|skip",
        DefaultValueFactory = _ => "fail",
    };

    private static readonly Option<string?> Title = CommandOptions.Text(
        "--title", "TEXT", "Title of the table, the plot and the page. [default: the names of the inputs]");

    private static readonly Option<string?> Svg = CommandOptions.Text("--svg", "FILE", "Write a percentile plot to an SVG file.");
    private static readonly Option<string?> Html = CommandOptions.Text("--html", "FILE", "Write an HTML page with plots and a table.");
    private static readonly Option<string?> Log = CommandOptions.Text("--hlog", "FILE", "Write the result to an interval log.");

    private static readonly Option<bool> Json = new("--json") { Description = "Print one line of JSON instead of a table and a chart." };

    static HistCommand()
    {
        Format.Check(
            name => InputFormats.Named(name) is not null, name => $"--format must be one of {InputFormats.AllNames}, not '{name}'.");
        OnError.Check(word => word is "fail" or Skip, word => $"--on-error must be 'fail' or 'skip', not '{word}'.");
        Files.Validators.Add(result =>
        {
            if (result.Tokens.FirstOrDefault(token => token.Value.Length > 1 && token.Value[0] == '-') is { } option)
            {
                result.AddError($"Unrecognized option '{option.Value}'; for a file with this name, use './{option.Value}'.");
            }
        });
    }

    public static Command Create(Terminal terminal)
    {
        Command command = new("hist", "Print the percentiles of numbers or histogram logs, or compare two inputs.")
        {
            Files, Format, Column, Tag, Untagged, From, To, Diff, Unit, Scale, OnError, Title, Svg, Html, Log, Json,
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
        InputOptions options = new()
        {
            Format = InputFormats.Named(parsed.GetValue(Format)),
            Column = parsed.GetValue(Column),
            Tag = parsed.GetValue(Tag),
            IsUntagged = parsed.GetValue(Untagged),
            Part = part!,
        };
        List<Distribution> inputs = [];
        if (parsed.GetValue(Diff))
        {
            string[] first = files.Length > 1 ? files[..^1] : [DistributionReader.StandardInput];
            (Distribution before, Distribution after) = Distribution.ToCommonUnit(Read(first), Read(files[^1..]));
            inputs.AddRange([before, after]);
        }
        else
        {
            inputs.Add(Read(files));
        }

        badLines.Report(terminal.Error);
        if (inputs.Find(input => input.Histogram.TotalCount == 0) is { } empty && interrupt.ExitCode is null)
        {
            throw new CommandException($"{empty.Name}: the input contains no numbers");
        }

        terminal.LeaveInterruptLine(interrupt);
        HistResult result = new(inputs, ForeignText.Clean(parsed.GetValue(Unit)!), parsed.GetValue(Scale))
        {
            SkippedLineCount = badLines.Count,
            IsInterrupted = interrupt.Token.IsCancellationRequested,
            RequestedTitle = parsed.GetValue(Title) is { } title ? ForeignText.Clean(title) : null,
        };
        try
        {
            Write(Svg, HistFiles.WriteSvg);
            Write(Html, HistFiles.WriteHtml);
            Write(Log, HistFiles.WriteLog);
        }
        finally
        {
            // Print the result even if a file cannot be written, because reading may have taken long.
            if (parsed.GetValue(Json))
            {
                terminal.Out.WriteLine(HistJson.Format(result));
            }
            else
            {
                result.Write(terminal.Out, terminal.Width, Console.IsOutputRedirected ? null : Terminal.WindowSize?.Rows);
            }

            terminal.Out.Flush();
        }

        return interrupt.ExitCode ?? ExitCodes.Success;

        Distribution Read(IReadOnlyList<string> paths) =>
            new DistributionReader(options, badLines, terminal, interrupt.Token).Read(paths);

        void Write(Option<string?> file, Action<string, HistResult> write)
        {
            if (parsed.GetValue(file) is { } path)
            {
                write(path, result);
                terminal.ReportWritten(path);
            }
        }
    }

    private static string? Validate(CommandResult command)
    {
        string[] files = command.GetValue(Files) ?? [];
        bool isDiff = command.GetValue(Diff);
        return !LogPart.TryParse(command.GetValue(From), command.GetValue(To), out _)
                ? "--from and --to must both be numbers of seconds, or both be times such as 2026-11-23T08:00Z."
            : command.GetValue(Format) is { } format && (format == "csv") != (command.GetValue(Column) is not null)
                ? "--format csv and --column require each other."
            : command.GetValue(Untagged) && command.GetValue(Tag) is not null ? "--untagged cannot be combined with --tag."
            : isDiff && command.GetValue(Log) is not null ? "--hlog cannot be combined with --diff."
            : isDiff && files.Length == 0 ? "--diff requires two files, or one file to compare with standard input."
            : isDiff && files[^1] == DistributionReader.StandardInput && (files.Length == 1 || files.AsSpan()[..^1].Contains(files[^1]))
                ? "Only one of the two inputs of --diff can be standard input."
            : null;
    }

    private static double ParseScale(ArgumentResult argument)
    {
        const NumberStyles Style = NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        if (double.TryParse(argument.Tokens[0].Value, Style, CultureInfo.InvariantCulture, out double scale)
            && scale is >= 1 / MaxScale and <= MaxScale)
        {
            return scale;
        }

        argument.AddError($"--scale must be a number from 1e-9 to 1e9, not '{argument.Tokens[0].Value}'.");
        return 1;
    }
}
