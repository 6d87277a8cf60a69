using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Measuring;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Reading;

/// <summary>A part of the CPU time of the process. The parts do not overlap.</summary>
/// <param name="Name">The name in JSON and in the exposition, which is stable.</param>
/// <param name="Title">The name on the page.</param>
/// <param name="Nanoseconds">The CPU time since the start of the process. Never decreases.</param>
internal sealed record CpuPart(string Name, string Title, long Nanoseconds)
{
    /// <summary>The share of the CPU time of all processors in the window of the reading, 0 to 1.</summary>
    public double MachineShare { get; init; }
}

/// <summary>Attributes the whole CPU time of the process to parts, which add up to it at each reading. Thread-safe.</summary>
/// <remarks>The CPU time of measured flows is known for each row. The CPU time of threads outside these flows is attributed by the names of
/// the threads, if the system reports names. The CPU time of a thread between the last reading and its end is a separate part.</remarks>
internal sealed class ProcessAccount(RouteTable routes, WorkMeter work, RunList running, IOptions<PicolloOptions> options)
{
    private enum Group
    {
        Workers,
        GarbageCollector,
        JitCompiler,
        ThreadPool,
        Rest,
    }

    private const int NameLength = 15; // of a thread on Linux

    // Not a static initializer, because it may throw.
    private static readonly Lazy<DateTimeOffset> StartOfProcess =
        new(static () => System.Diagnostics.Process.GetCurrentProcess().StartTime.ToUniversalTime(), LazyThreadSafetyMode.PublicationOnly);

    // In the order of Measure. The page is first, because it uses CPU time while the parts are read.
    private static readonly (string Name, string Title)[] Parts =
    [
        ("page", "This page and scrapes"),
        ("requests", "Requests"),
        ("after_response", "After the response"),
        ("work", "Named work"),
        ("cpu_workers", "CPU workers"),
        ("garbage_collector", "Garbage collector"),
        ("jit_compiler", "JIT compiler"),
        ("thread_pool", "Thread pool and server"),
        ("ended_threads", "Ended threads"),
        ("rest", "Rest"),
    ];

    private readonly Lock _gate = new();
    private readonly ProcessThreads _threads = new();
    private readonly string _workerName = $"{options.Value.CpuWorkers.Name} ";
    private readonly long[] _groups = new long[(int)Group.Rest + 1];
    private readonly long[] _parts = new long[Parts.Length];
    private readonly long[] _modes = new long[2]; // user and kernel
    private Dictionary<(long Id, long Start), long> _seen = [];

    /// <summary>The start of the process, at which all its counters were 0.</summary>
    public static DateTimeOffset Started => StartOfProcess.Value;

    /// <summary>Reads all parts. The last part is the rest.</summary>
    /// <returns>The parts; empty if the CPU time of the process is unavailable.</returns>
    public IReadOnlyList<CpuPart> Read() => Read(out _);

    /// <summary>Reads all parts.</summary>
    /// <param name="modes">The user and kernel time, which add up to the same total. Neither decreases; null if they are not measured
    /// separately.</param>
    /// <inheritdoc cref="Read()"/>
    public IReadOnlyList<CpuPart> Read(out CpuUsage? modes)
    {
        modes = null;
        lock (_gate)
        {
            // Read first. The time of threads that have ended is a difference, which would otherwise include the time of this reading.
            if (TryGetProcessNanoseconds() is not { } process)
            {
                return [];
            }

            Raise(_parts, Measure(process), process);
            if (CpuUsageReader.TryGetByProcess(Environment.ProcessId, out CpuUsage split, out _))
            {
                long kernel = Math.Min(split.KernelNanoseconds, process);
                Raise(_modes, [process - kernel, kernel], process);
                modes = new CpuUsage(_modes[0], _modes[1]);
            }

            CpuPart[] all = [.. Parts.Zip(_parts, (part, nanoseconds) => new CpuPart(part.Name, part.Title, nanoseconds))];
            return [.. all[1..4], all[0], .. all[4..]];
        }
    }

    /// <summary>Raises times that must not decrease to measured ones, so that they add up to a total.</summary>
    /// <param name="times">The times.</param>
    /// <param name="measured">The measured times, which add up to the total.</param>
    /// <param name="total">The total, at least that of the previous call.</param>
    /// <remarks>A part can be too high, because parts are measured one after the other. It keeps its time until it is exceeded, and the
    /// first parts are raised later.</remarks>
    internal static void Raise(Span<long> times, ReadOnlySpan<long> measured, long total)
    {
        long added = total;
        foreach (long time in times)
        {
            added -= time;
        }

        for (int i = times.Length - 1; i >= 0; i--)
        {
            long share = Math.Clamp(measured[i] - times[i], 0, added);
            times[i] += share;
            added -= share;
        }
    }

    private long[] Measure(long process)
    {
        bool hasThreads = Add(_threads.Read());
        running.Read(); // after the threads, because the rest includes flows that are not in a row
        long requests = 0, afterResponse = 0;
        foreach (RouteRow route in routes.All)
        {
            requests += route.TotalCpuNanoseconds;
            afterResponse += route.AfterEndNanoseconds;
        }

        long named = work.All.Sum(row => row.TotalCpuNanoseconds);
        long page = routes.Page.TotalCpuNanoseconds + routes.Page.AfterEndNanoseconds;
        long ended = hasThreads ? process - _threads.WatchedNanoseconds - _groups.Sum() : 0;
        long[] known = [page, requests, afterResponse, named, .. _groups[..(int)Group.Rest], ended];
        return [.. known, process - known.Sum()];
    }

    private static long? TryGetProcessNanoseconds()
    {
        try
        {
            return CpuUsageReader.GetProcessTimeNanoseconds();
        }
        catch (MeasurementUnavailableException)
        {
            return null;
        }
    }

    /// <returns>Whether the system lists threads.</returns>
    private bool Add(IReadOnlyList<ProcessThread> threads)
    {
        Dictionary<(long, long), long> seen = [];
        foreach (ProcessThread thread in threads)
        {
            long before = _seen.GetValueOrDefault((thread.Id, thread.StartNanoseconds));
            long now = Math.Max(thread.TotalNanoseconds - thread.WatchedNanoseconds, before);
            seen[(thread.Id, thread.StartNanoseconds)] = now;
            _groups[(int)GroupOf(thread.Name)] += now - before;
        }

        _seen = seen;
        return seen.Count > 0;
    }

    // Thread names of .NET 10, shortened by Linux, from /proc/self/task/*/comm of a web application with each of the garbage collectors.
    private Group GroupOf(string name) => name switch
    {
        ".NET Server GC" or ".NET BGC" => Group.GarbageCollector,
        ".NET Tiered Com" => Group.JitCompiler,
        ".NET TP Worker" or ".NET TP Gate" or ".NET Timer" or ".NET Sockets" or "Kestrel Timer" => Group.ThreadPool,
        _ => IsWorker(name) ? Group.Workers : Group.Rest,
    };

    private bool IsWorker(string name) => name.StartsWith(
        _workerName.Length > NameLength ? _workerName[..NameLength] : _workerName, StringComparison.Ordinal);
}
