namespace Picollo.Cli.Jitter;

/// <summary>The <c>picollo jitter samples</c> command: prints saved samples as separated values.</summary>
internal static class JitterSamplesCommand
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    private const string Epilogue = """
        Output:
          A header, and one line per sample: the CPU, the CLOCK_MONOTONIC time when the
          thread ran (in seconds), and the latency. After the header, the format is that
          of jittersamples, whose input files are also supported. The file does not
          contain the unit: for samples.raw, it is read from results.json in the same
          directory; for other files, it is microseconds unless -N is specified.

        Examples:
          picollo jitter samples results | picollo hist --column latency_us --unit us
          picollo jitter samples results | awk -F';' '$1 == 2 && $3 > 100'
          xz -dc samples.raw.xz | picollo jitter samples -

        Exit codes:
          0    success
          1    the file cannot be read, is truncated or is damaged; the message contains
               the offset, and the samples before it are printed
          2    invalid command line
          141  the reader of the output closed the pipe
        """;

    public static Command Create(Terminal terminal)
    {
        Argument<string> file = new("FILE")
        {
            Description = "Sample file of jitter -s, or its directory, or - for standard input.",
        };
        Option<bool> inNanoseconds = new("-N", "--nsec") { Description = "Read latencies in nanoseconds, as saved with jitter -N." };
        Command command = new("samples", "Print saved samples as semicolon-separated values.") { file, inNanoseconds };
        command.SetAction(parsed =>
        {
            SampleSource source = SampleSource.Find(parsed.GetValue(file)!, parsed.GetValue(inNanoseconds));
            using SampleReader reader = source.Open(terminal);
            Write(terminal.Out, reader.ReadAll(), source.UnitName);
            return ExitCodes.Success;
        });
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    private static void Write(TextWriter output, IEnumerable<JitterSample> samples, string unit)
    {
        output.WriteLine($"cpu;time_s;latency_{unit}");
        try
        {
            foreach (JitterSample sample in samples)
            {
                (long seconds, long nanoseconds) = Math.DivRem(sample.TimeNanoseconds, NanosecondsPerSecond);
                output.WriteLine(Invariant($"{sample.Cpu};{seconds}.{nanoseconds:000000000};{sample.Latency}"));
            }
        }
        catch (CommandException)
        {
            output.Flush(); // print the valid samples before the error
            throw;
        }
    }
}
