using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Picollo.Scheduling;

namespace Picollo.Samples.CpuWorker;

/// <summary>The options of the command line.</summary>
/// <param name="Workers">The number of workers of the pool, or <see langword="null"/> for the default of the pool.</param>
/// <param name="SliceMilliseconds">The time slice of the pool in milliseconds, or <see langword="null"/> for the default of the pool.</param>
/// <param name="Port">The port of the server, 0 for any free port, or <see langword="null"/> to run the demo, which starts servers itself.</param>
/// <param name="EndsWithInput"><see langword="true"/> if the server exits when its standard input is closed. It then never outlives the demo.</param>
public sealed record DemoOptions(int? Workers = null, int? SliceMilliseconds = null, int? Port = null, bool EndsWithInput = false)
{
    private const int MaxWorkers = 1_024;
    private const int MaxSliceMilliseconds = 10_000;
    private const string EndsWithInputOption = "--ends-with-input";

    /// <summary>The text of <c>--help</c>.</summary>
    public static string Help { get; } = $"""
        usage: CpuWorkerDemo [--workers N] [--slice MS] [--serve PORT]

        Measures requests that wait for 1 ms while other requests compute, in a
        CpuWorkerPool and without it. Requires wrk. Takes 2.5 minutes.

          --workers N   Number of workers of the pool, 1 to {MaxWorkers}. Go's cpuworker calls it
                        cpuWorkerMaxP. [default: {new CpuWorkerPoolOptions().WorkerCount}, three quarters of the CPUs]
          --slice MS    Time slice of the pool in milliseconds, 1 to {MaxSliceMilliseconds}. Go's
                        cpuworker calls it DefaultMaxTimeSlice. [default: {new CpuWorkerPoolOptions().TimeSlice.TotalMilliseconds}]
          --serve PORT  Run only the server, on 127.0.0.1, until Ctrl+C. 0 selects a free
                        port.
          --help        Print this text.
        """;

    /// <summary>Parses a command line.</summary>
    /// <param name="arguments">The command line.</param>
    /// <param name="options">The options, or the defaults if the command line is invalid.</param>
    /// <param name="reason">The error if the command line is invalid; otherwise, <see langword="null"/>.</param>
    /// <returns><see langword="true"/> if the command line is valid; otherwise, <see langword="false"/>.</returns>
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
                reason = $"unknown option '{option}'";
                return false;
            }

            if (++i == arguments.Length
                || !int.TryParse(arguments[i], NumberStyles.None, CultureInfo.InvariantCulture, out int value)
                || value < min || value > max)
            {
                reason = $"{option} requires an integer from {min} to {max}";
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

    /// <summary>Returns the command line of these options.</summary>
    public string[] ToArguments() =>
    [
        .. Option("--workers", Workers),
        .. Option("--slice", SliceMilliseconds),
        .. Option("--serve", Port),
        .. EndsWithInput ? [EndsWithInputOption] : Array.Empty<string>(),
    ];

    /// <summary>Creates the options of the pool.</summary>
    public CpuWorkerPoolOptions ToPoolOptions()
    {
        CpuWorkerPoolOptions pool = new();
        pool.WorkerCount = Workers ?? pool.WorkerCount;
        pool.TimeSlice = SliceMilliseconds is { } milliseconds ? TimeSpan.FromMilliseconds(milliseconds) : pool.TimeSlice;
        return pool;
    }

    private static string[] Option(string name, int? value) => value is { } number ? [name, number.ToString(CultureInfo.InvariantCulture)] : [];
}
