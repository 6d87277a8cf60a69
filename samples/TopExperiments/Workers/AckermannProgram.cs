using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Samples.Top;

/// <summary>The document's programs <c>ackermann_single</c> and <c>ackermann_multi</c>. They also print times like the shell's
/// <c>time</c>.</summary>
/// <param name="IsMulti">Whether the program computes all values twice in parallel. Otherwise, it computes each value once, one after another.</param>
/// <param name="Largest">The largest second argument. The second arguments start at 0.</param>
public sealed record AckermannProgram(bool IsMulti, int Largest = AckermannProgram.PublishedLargest)
{
    public const string SingleName = "ackermann_single";
    public const string MultiName = "ackermann_multi";

    /// <summary>The document's largest second argument. Each step takes four times as long and twice the stack of the previous step.</summary>
    public const int PublishedLargest = 13;

    private const int First = 3;

    /// <summary>The name of the program on the command line. <c>top</c> shows its first 15 characters.</summary>
    public string Name => IsMulti ? MultiName : SingleName;

    /// <summary>The command line.</summary>
    public string[] ToArguments() => [Name, Largest.ToString(CultureInfo.InvariantCulture)];

    /// <summary>Parses a command line: a name, and optionally the largest second argument.</summary>
    /// <param name="arguments">The command line.</param>
    /// <param name="program">The program, or <see langword="null"/> if the command line has no name of a program or is invalid.</param>
    /// <param name="reason">The usage if the argument after the name is invalid; otherwise, <see langword="null"/>.</param>
    /// <returns><see langword="true"/> if the command line starts with the name of a program; otherwise, <see langword="false"/>.</returns>
    public static bool TryParse(string[] arguments, out AckermannProgram? program, out string? reason)
    {
        program = null;
        reason = null;
        if (arguments is not [SingleName or MultiName, ..])
        {
            return false;
        }

        int largest = PublishedLargest;
        if (arguments.Length > 2
            || (arguments.Length == 2
                && (!int.TryParse(arguments[1], NumberStyles.None, CultureInfo.InvariantCulture, out largest) || largest > PublishedLargest)))
        {
            reason = $"usage: {arguments[0]} [LARGEST], a number from 0 to {PublishedLargest} (default: {PublishedLargest})";
            return true;
        }

        program = new AckermannProgram(arguments[0] == MultiName, largest);
        return true;
    }

    /// <summary>Computes the values, prints a line for each result, and then prints three lines like <c>time</c>.</summary>
    public void Run(TextWriter output)
    {
        Lock oneLine = new();
        if (IsMulti)
        {
            Thread[] threads = [.. Enumerable.Range(0, 2 * (Largest + 1)).Select(i => Start(() => RunTest(i / 2)))];
            Array.ForEach(threads, thread => thread.Join());
        }
        else
        {
            Start(() =>
            {
                for (int n = 0; n <= Largest; n++)
                {
                    RunTest(n);
                }
            }).Join();
        }

        using Process self = Process.GetCurrentProcess();
        CpuUsage used = CpuUsageReader.GetByProcess();
        output.WriteLine(new Times(DateTime.Now - self.StartTime, used.User, used.Kernel));
        output.Flush();

        void RunTest(int n)
        {
            long start = Stopwatch.GetTimestamp();
            int answer = Ackermann.Compute(First, n);
            long nanoseconds = (long)Stopwatch.GetElapsedTime(start).TotalNanoseconds;
            lock (oneLine)
            {
                output.WriteLine(LineOf(DateTime.Now, n, answer, nanoseconds));
                output.Flush();
            }
        }
    }

    /// <summary>Formats a result like a line of Go's <c>log</c>.</summary>
    public static string LineOf(DateTime time, int n, int answer, long nanoseconds) => string.Create(
        CultureInfo.InvariantCulture, $"{time:yyyy'/'MM'/'dd HH':'mm':'ss} Calculated `ackermann({First}, {n}) = {answer}` in {GoText(nanoseconds)}");

    /// <summary>Formats a duration like Go: 871ns, 45.08µs, 653.2ms, 2.613s, 1m2.5s.</summary>
    public static string GoText(long nanoseconds)
    {
        (long minutes, decimal rest) = (nanoseconds / 60_000_000_000, nanoseconds % 60_000_000_000);
        (decimal unit, string name) = nanoseconds switch
        {
            < 1_000 => (1m, "ns"),
            < 1_000_000 => (1e3m, "µs"),
            < 1_000_000_000 => (1e6m, "ms"),
            _ => (1e9m, "s"),
        };
        string text = (rest / unit).ToString("0.#########", CultureInfo.InvariantCulture) + name;
        return minutes == 0 ? text : string.Create(CultureInfo.InvariantCulture, $"{minutes}m{text}");
    }

    private Thread Start(ThreadStart body)
    {
        Thread thread = new(body, Ackermann.StackBytes) { Name = Name };
        thread.Start();
        return thread;
    }
}
