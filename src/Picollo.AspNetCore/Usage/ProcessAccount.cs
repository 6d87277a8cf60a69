using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Requests;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Usage;

/// <summary>A part of the CPU time of the process. The parts do not overlap.</summary>
/// <param name="Name">The name in JSON and in the exposition, which is stable.</param>
/// <param name="Title">The name on the page.</param>
/// <param name="Nanoseconds">The CPU time since the start of the process. Never decreases.</param>
internal sealed record CpuPart(string Name, string Title, long Nanoseconds)
{
    /// <summary>The share of the CPU time of all processors in the window of the reading, 0 to 1.</summary>
    public double MachineShare { get; init; }
}

/// <summary>Attributes the whole CPU time of the process to parts. Thread-safe.</summary>
/// <remarks>The CPU time of measured flows is known for each row. The CPU time of threads outside these flows is attributed by the names of
/// the threads, if the system reports names. The CPU time of a thread between the last reading and its end counts as the rest.</remarks>
internal sealed class ProcessAccount(RouteTable routes, WorkMeter work, IOptions<PicolloOptions> options)
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

    private readonly Lock _gate = new();
    private readonly ProcessThreads _threads = new();
    private readonly string _workerName = $"{options.Value.CpuWorkers.Name} ";
    private readonly long[] _groups = new long[(int)Group.Rest];
    private Dictionary<(long Id, long Start), long> _seen = [];
    private long _rest;

    /// <summary>Reads all parts. The last part is the rest.</summary>
    /// <returns>The parts; empty if the CPU time of the process is unavailable.</returns>
    /// <remarks>The CPU time of runs that have not ended is included up to the last <see cref="Work.RunningWorkList.Read"/>.</remarks>
    public IReadOnlyList<CpuPart> Read()
    {
        lock (_gate)
        {
            long requests = 0, afterResponse = 0;
            foreach (RouteUsage route in routes.All)
            {
                requests += route.TotalCpuNanoseconds;
                afterResponse += route.AfterEndNanoseconds;
            }

            long page = routes.Page.TotalCpuNanoseconds + routes.Page.AfterEndNanoseconds;
            long named = work.All.Sum(row => row.TotalCpuNanoseconds);
            ReadThreads();

            // Read last, because it must not be less than the sum of the parts.
            if (TryGetProcessNanoseconds() is not { } process)
            {
                return [];
            }

            // CPU time between the readings of two parts may be in neither part, or in both, until the next reading.
            _rest = Math.Max(_rest, process - requests - afterResponse - page - named - _groups.Sum());
            return
            [
                new("requests", "Requests", requests),
                new("after_response", "After the response", afterResponse),
                new("work", "Named work", named),
                new("page", "This page and scrapes", page),
                new("cpu_workers", "CPU workers", _groups[(int)Group.Workers]),
                new("garbage_collector", "Garbage collector", _groups[(int)Group.GarbageCollector]),
                new("jit_compiler", "JIT compiler", _groups[(int)Group.JitCompiler]),
                new("thread_pool", "Thread pool and server", _groups[(int)Group.ThreadPool]),
                new("rest", "Rest", _rest),
            ];
        }
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

    private void ReadThreads()
    {
        Dictionary<(long, long), long> seen = [];
        foreach (ProcessThread thread in _threads.Read())
        {
            Group group = GroupOf(thread.Name);
            long before = _seen.GetValueOrDefault((thread.Id, thread.StartNanoseconds));
            long now = Math.Max(thread.TotalNanoseconds - thread.WatchedNanoseconds, before);
            seen[(thread.Id, thread.StartNanoseconds)] = now;
            if (group != Group.Rest)
            {
                _groups[(int)group] += now - before;
            }
        }

        _seen = seen;
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
