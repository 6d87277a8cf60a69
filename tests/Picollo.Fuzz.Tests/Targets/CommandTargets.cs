using System.CommandLine;
using System.Text;
using Picollo.Cli;
using Picollo.Cli.Hist;
using Picollo.Cli.Jitter;
using Picollo.Cli.Record;
using Picollo.Cli.Shell;
using Picollo.Cli.Stat;
using Picollo.Cli.Top;
using Picollo.Export;
using Picollo.Metrics;
using static Picollo.Fuzz.Tests.FuzzTargets;

namespace Picollo.Fuzz.Tests;

/// <summary>Command lines of the tool, the files that it reads, and the keys of a terminal.</summary>
internal static class CommandTargets
{
    private const string BaselineJson =
        """
        {"kind":"picollo-baseline","version":1,"savedAtUtc":"2026-11-25T12:00:00Z","command":"sleep 1","machine":{"system":"Linux","architecture":"X64","cpu":"x","cpuCount":2},
        "measures":[{"name":"elapsed","unit":"nanoseconds","values":[1000000,2000000,18446744073709551615]},{"name":"instructions","unit":"count","values":[5]}]}
        """;

    private static readonly string[] Lines =
    [
        "hist latency.txt --unit ms --scale 1e-6 --json", "hist a.hlog b.hlog --from 60 --to 2026-11-23T08:00Z --tag x", "hist --diff a.txt - --svg d.svg --on-error skip --title t",
        "hist x.csv --format csv --column duration --html x.html --hlog x.hlog --untagged", "stat -e instructions,cycles -r 20 --warmup 2 --prepare x -- gzip -k a", "stat -c x --compare a b c -o f",
        "stat -p 1 -I 1000 -v", "stat --save x.json --baseline m.json --fail-above 5% -r 3 -- ./app", "jitter -a 0-3,8 -i 250us -p 80 -D 30 -l 100 -b 1ms -N --json -o dir --force -s -c load",
        "jitter plot dir --svg x.svg", "jitter samples dir", "top -d 1 -n 2 -b -u root -p 1,2 --json", "record -p 1 --duration 10 --frequency 999 --html x.html --tiers --kernel",
        "record --svg f.svg --pprof p --folded f --json j -- dotnet app.dll", "record --type cpu --diff a b", "--help", "stat --help", "--version",
    ];

    public static FuzzTarget[] All { get; } =
    [
        new("command-line", () => [.. Lines.Select(line => FuzzSeed.Of(line.Replace(' ', '\0')))], ParseLine)
        {
            ConstantBytes = 2_000_000,
            BytesPerByte = 2_000,
            Longest = 4_000,
            Count = 1000,
        },
        new(
            "hist-input",
            () =>
            [
                FuzzSeed.Of("12\n0.5\n1e3\n18446744073709551615\n\n 7 \r\n"), FuzzSeed.Of("time,\"dur\"\"ation\";x\n1,2.5,3\n\"4\",\"5\",6\n"), FuzzSeed.Of("\ufeff1\t2\n3\t4\n"),
                new([.. Encoding.Unicode.Preamble, .. Encoding.Unicode.GetBytes("12\n13\n")]),
                .. HistogramTargets.All.Where(target => target.Name is "hlog" or "hgrm").SelectMany(target => target.Seeds()),
            ],
            ReadHist)
        {
            Documented = [typeof(CommandException)],
            ConstantBytes = 500_000_000,
            BytesPerByte = 20_000,
            Count = 200,
        },
        new("baseline", () => [FuzzSeed.Of(BaselineJson)], input => Baseline.Read(FileOf(input, "baseline.json")).Series.Measures.Count)
        {
            Documented = [typeof(CommandException)],
            BytesPerByte = 2_000, // a measure of 50 bytes has a histogram of 64 KB
        },
        new("jitter-results", () => [.. Files(InRepository("tests", "Picollo.Cli.Tests", "Jitter", "Golden", "results.json"))], ReadResults)
        {
            Documented = [typeof(CommandException)],
            ConstantBytes = 5_000_000,
            BytesPerByte = 20_000, // a CPU of 20 bytes has a histogram
            Longest = 1 << 13,
        },
        new("jitter-samples", () => [new(Samples)], ReadSamples) { Documented = [typeof(CommandException)], BytesPerByte = 1000 },
        new("keys", () => [FuzzSeed.Of("q\e[A\e[1;5B\e[5~\eOH\e[[A\ré\e[200~x\u0015😀")], ReadKeys) { BytesPerByte = 400, Longest = 4_000 },
        new(
            "values",
            () => [.. new[] { "0-3,8", "0x10F", "250us", "0.5s", "2m", "1e3", "2026-11-23T08:00Z", "SIGTERM", "15", "-1.5e-3", "18446744073709551615" }.Select(FuzzSeed.Of)],
            ReadValues)
        {
            ConstantBytes = 40_000_000, // 8,192 CPUs, each of which is searched for in a mask
            Longest = 4_000,
            BytesPerByte = 2_000,
        },
        new("logins", () => [new([7, .. new byte[43], (byte)'a', .. new byte[339], 8, .. new byte[400]])], input => Users.CountLoginsIn(input, 384)) { BytesPerByte = 0 },
    ];

    private static byte[] Samples =>
    [
        .. Sample(0, 1000, 5, 12), .. Sample(1, 1000, 999_999_999, 13), .. Sample(8191, 2000, 0, 0),
    ];

    // Arguments are separated by zeros. Only command lines with an error are run, because they print a message and have no other effect.
    private static long ParseLine(byte[] input)
    {
        string[] arguments = Text(input).Split('\0');
        using StringWriter output = new(), error = new();
        Terminal terminal = new(output, error);
        ParseResult parsed = PicolloCommand.Parse(arguments, terminal);
        if (parsed.Errors.Count == 0 || parsed.Action is CommandHelp)
        {
            ReadOptions(parsed);
            return 1 + parsed.Tokens.Count;
        }

        Check(PicolloCommand.Run(arguments, terminal) == ExitCodes.Usage, "The exit code is not the code of usage errors.");
        string message = error.ToString();
        Check(message.StartsWith("picollo: ", StringComparison.Ordinal) && message.Trim().Split('\n').Length <= 3, $"The message is not an error with at most three lines: {message}");
        return 0;
    }

    private static void ReadOptions(ParseResult parsed) => _ = parsed.CommandResult.Command.Name switch
    {
        _ when parsed.Errors.Count > 0 => (object?)null,
        StatCommand.Name => StatCommand.Read(parsed),
        RecordCommand.Name => RecordCommand.Read(parsed),
        "jitter" => JitterCommand.OptionsOf(parsed),
        _ => null,
    };

    private static long ReadHist(byte[] input)
    {
        using StringWriter output = new(), error = new();
        string? column = input.AsSpan(0, Math.Min(input.Length, 100)).ContainsAny(",;\t"u8) && !input.AsSpan().StartsWith("#"u8) && !Text(input).Contains("Value", StringComparison.Ordinal) ? "2" : null;
        DistributionReader reader = new(new() { Column = column }, new BadLines(areSkipped: true), new Terminal(output, error), CancellationToken.None);
        return (long)Math.Min(reader.Read([FileOf(input, "input")]).Histogram.TotalCount, long.MaxValue);
    }

    private static long ReadResults(byte[] input)
    {
        string folder = Path.GetDirectoryName(FileOf(input, ResultFiles.Json))!;
        Check(SavedResults.TitleOf(folder).Length > 0, "There is no title.");
        IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> series = SavedResults.Read(folder);
        return series.Count + (SavedResults.UnitOf(folder) is null ? 0 : 1);
    }

    private static byte[] Sample(int cpu, long seconds, long nanoseconds, ulong latency) =>
        [.. BitConverter.GetBytes(cpu), .. BitConverter.GetBytes(seconds), .. BitConverter.GetBytes(nanoseconds), .. BitConverter.GetBytes(latency)];

    private static long ReadSamples(byte[] input)
    {
        using SampleReader reader = new(new MemoryStream(input), "samples.raw", 1000);
        return reader.ReadAll().Count();
    }

    private static long ReadKeys(byte[] input)
    {
        KeyDecoder whole = new(), parts = new();
        List<Key> all = [], each = [];
        whole.Add(input);
        Take(whole, all);
        foreach (byte one in input)
        {
            parts.Add([one]);
            while (parts.Take(isAll: false) is { } key)
            {
                each.Add(key);
            }
        }

        Take(parts, each);
        Check(all.SequenceEqual(each), "The keys differ if the bytes arrive one by one.");
        return all.Count;

        static void Take(KeyDecoder decoder, List<Key> keys)
        {
            while (decoder.Take(isAll: true) is { } key)
            {
                keys.Add(key);
            }

            Check(!decoder.IsIncomplete, "Bytes remain.");
        }
    }

    private static long ReadValues(byte[] input)
    {
        string text = Text(input);
        long read = 0;
        if (CpuList.Parse(text) is { } cpus)
        {
            Check(CpuList.Parse(CpuList.Format(cpus))!.SequenceEqual(cpus), "The list of CPUs differs.");
            Check(CpuList.Parse(CpuList.Mask(cpus))!.SequenceEqual(cpus), "The mask of CPUs differs.");
            read += 1;
        }

        read += TimeText.Parse(text, "s") is { } time ? time > TimeSpan.Zero ? 2 : throw new WrongResultException("A time is not positive.") : 0;
        read += LogPart.TryParse(text, text, out _) ? 4 : 0;
        read += Signals.Find(text) is { } signal ? signal is >= 1 and <= 64 ? 8 : throw new WrongResultException("There is no such signal.") : 0;
        NumberKind kind = NumberText.Parse(input, out _, out double fraction);
        Check(kind != NumberKind.Fraction || fraction is >= 0 and < double.PositiveInfinity, "A number is negative or infinite.");
        read += 16 * (long)kind;
        Check(!ForeignText.Clean(text).Any(char.IsControl), "A control character remains.");
        return read;
    }
}
