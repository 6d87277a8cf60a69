using System.CommandLine;

namespace Picollo.Cli.Jitter;

/// <summary><c>picollo jitter samples</c>: saved samples as separated values.</summary>
internal static class JitterSamplesCommand
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    private const string Epilogue = """
        Output:
          A header, and a line for each sample: the CPU, the seconds of CLOCK_MONOTONIC
          when the thread ran, and the latency. The lines after the header are those of
          jittersamples, whose input is read, too. The file does not contain the unit:
          that of samples.raw is in results.json next to it; of others it is
          microseconds, unless -N is given.

        Examples:
          picollo jitter samples results | picollo hist --column latency_us --unit us
          picollo jitter samples results | awk -F';' '$1 == 2 && $3 > 100'
          xz -dc samples.raw.xz | picollo jitter samples -

        Exit codes:
          0    done
          1    the file cannot be read, is truncated or is damaged; the message has the
               offset, and the samples before a damaged one are printed
          2    the command line is not understood
          141  the reader of the output has ended
        """;

    public static Command Create(Terminal terminal)
    {
        Argument<string> file = new("FILE")
        {
            Description = "The file of jitter -s or its folder; - is standard input.",
        };
        Option<bool> inNanoseconds = new("-N", "--nsec") { Description = "The latencies are nanoseconds: they were saved with -N." };
        Command command = new("samples", "Print saved samples as separated values.") { file, inNanoseconds };
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
            output.Flush(); // the samples before come first
            throw;
        }
    }
}
