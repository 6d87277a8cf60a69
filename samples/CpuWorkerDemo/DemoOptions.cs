using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Picollo.Scheduling;

namespace Picollo.Samples.CpuWorker;

/// <summary>The command line.</summary>
/// <param name="Workers">The number of workers of the pool; null for the pool's default.</param>
/// <param name="SliceMilliseconds">The time slice of the pool; null for the pool's default.</param>
/// <param name="Port">The port of the server; 0 for any free one; null for the demo that starts servers itself.</param>
/// <param name="EndsWithInput">Whether the server ends at the end of its input, and so with the demo, however that ends.</param>
public sealed record DemoOptions(int? Workers = null, int? SliceMilliseconds = null, int? Port = null, bool EndsWithInput = false)
{
    private const int MaxWorkers = 1_024;
    private const int MaxSliceMilliseconds = 10_000;
    private const string EndsWithInputOption = "--ends-with-input";

    /// <summary>The text of <c>--help</c>.</summary>
    public static string Help { get; } = $"""
        usage: CpuWorkerDemo [--workers N] [--slice MS] [--serve PORT]

        Measures requests that wait for 1 ms while others compute, in a CpuWorkerPool
        and without it. Needs wrk. Takes 2.5 minutes.

          --workers N   Number of workers of the pool, 1 to {MaxWorkers}; the document's
                        cpuWorkerMaxP. [default: {new CpuWorkerPoolOptions().WorkerCount}, three quarters of the CPUs]
          --slice MS    Time slice of the pool in milliseconds, 1 to {MaxSliceMilliseconds}; the
                        document's DefaultMaxTimeSlice. [default: {new CpuWorkerPoolOptions().TimeSlice.TotalMilliseconds}]
          --serve PORT  Only run the server, on 127.0.0.1, until Ctrl+C. 0 chooses a free
                        port.
          --help        Print this text.
        """;

    /// <param name="arguments">The command line.</param>
    /// <param name="options">The options; the defaults if the command line is invalid.</param>
    /// <param name="reason">What is wrong; null if nothing is.</param>
    public static bool TryParse(string[] arguments, out DemoOptions options, [NotNullWhen(false)] out string? reason)
    {
        options = new DemoOptions();
        DemoOptions parsed = options;
        for (int i = 0; i < arguments.Length; i++)
        {
            string option = arguments[i];
            if (option == EndsWithInputOption)
            {
                parsed = parsed with { EndsWithInput = true };
                continue;
            }

            (int min, int max) = option switch
            {
                "--workers" => (1, MaxWorkers),
                "--slice" => (1, MaxSliceMilliseconds),
                "--serve" => (0, ushort.MaxValue),
                _ => (0, -1),
            };
            if (max < 0)
            {
                reason = $"there is no option '{option}'";
                return false;
            }

            if (++i == arguments.Length
                || !int.TryParse(arguments[i], NumberStyles.None, CultureInfo.InvariantCulture, out int value)
                || value < min || value > max)
            {
                reason = $"{option} takes a whole number from {min} to {max}";
                return false;
            }

            parsed = option switch
            {
                "--workers" => parsed with { Workers = value },
                "--slice" => parsed with { SliceMilliseconds = value },
                _ => parsed with { Port = value },
            };
        }

        options = parsed;
        reason = null;
        return true;
    }

    /// <summary>The command line of these options.</summary>
    public string[] ToArguments() =>
    [
        .. Option("--workers", Workers),
        .. Option("--slice", SliceMilliseconds),
        .. Option("--serve", Port),
        .. EndsWithInput ? [EndsWithInputOption] : Array.Empty<string>(),
    ];

    /// <summary>The options of the pool.</summary>
    public CpuWorkerPoolOptions ToPoolOptions()
    {
        CpuWorkerPoolOptions pool = new();
        pool.WorkerCount = Workers ?? pool.WorkerCount;
        pool.TimeSlice = SliceMilliseconds is { } milliseconds ? TimeSpan.FromMilliseconds(milliseconds) : pool.TimeSlice;
        return pool;
    }

    private static string[] Option(string name, int? value) => value is { } number ? [name, number.ToString(CultureInfo.InvariantCulture)] : [];
}
