using Picollo.Cpu;

namespace Picollo.AspNetCore;

/// <summary>The options of the measurement of requests: <see cref="PicolloOptions.Requests"/>.</summary>
public sealed class PicolloRequestOptions
{
    /// <summary>Whether all requests are measured, from before the first middleware to after the last one, and not only requests that reach
    /// <c>UsePicollo()</c>. This includes routing, endpoints with <c>ShortCircuit()</c>, static files, and requests that are answered early
    /// in the pipeline. <see langword="false"/> by default. If it is set, an additional <c>UsePicollo()</c> has no effect.</summary>
    public bool MeasureAll { get; set; }

    /// <summary>Specifies whether the user and kernel time of requests and named work are measured separately, which costs two more clock
    /// readings each time a request switches threads. <see cref="CpuUsageDetail.TotalOnly"/> by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not defined in the enumeration.</exception>
    public CpuUsageDetail CpuUsageDetail
    {
        get;
        set => field = Enum.IsDefined(value)
            ? value
            : throw new ArgumentOutOfRangeException(
                nameof(CpuUsageDetail), value, $"The value must be one of {string.Join(", ", Enum.GetNames<CpuUsageDetail>())}.");
    } = CpuUsageDetail.TotalOnly;

    /// <summary>Whether the bytes that requests and named work allocate on all their threads are measured, too. This costs one more
    /// reading, of about 10 ns, each time a request switches threads, and up to 10 KB for each route. <see langword="false"/> by
    /// default.</summary>
    /// <remarks>If other threads still run a part of the request at its end, the bytes are recorded when they have left the request, at
    /// most a second later. Bytes of parts that run longer are not counted.</remarks>
    public bool MeasureAllocations { get; set; }

    /// <summary>Whether the duration of requests and named work is divided into states: on a CPU, waiting for one, stopped by a garbage
    /// collection, waiting for a lock, blocked by something else, awaiting. The page shows for each route the mean, the requests around the
    /// median and those above the 99th percentile, and the slowest requests. <see langword="false"/> by default.</summary>
    /// <remarks>
    /// <para>This takes two to four more objects for each request, about 0.1 µs each time that a request switches threads, and 4.4 KB for
    /// each route. The waits for a CPU (on Linux), for locks and for a thread of the pool are separate states only with
    /// <see cref="PicolloOptions.MeasureRuntime"/>, which costs up to one more system call for each request.</para>
    /// <para>The runtime reports waits for locks up to 0.1 s late. So a request that has waited is counted 0.2 s after its end.
    /// <see cref="Picollo.Cpu.LatencyBreakdown"/> documents the states.</para>
    /// </remarks>
    public bool LatencyBreakdown { get; set; }

    /// <summary>The duration above which a request is logged, with its states: each such request once, as a warning, when it ends, or after
    /// that time while it is running (this is checked each second). Long-lived requests, such as WebSockets, do not count. The page shows
    /// the last 32 of them. A budget also sets <see cref="LatencyBreakdown"/>. More than zero, and at most one hour;
    /// <see langword="null"/>, the default, for none.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan? LatencyBudget
    {
        get;
        set => field = Budget(value, nameof(LatencyBudget));
    }

    /// <summary>Whether the CPU time of work that a request has started and that continues after its response (tasks, timers, SignalR over
    /// long polling) is counted for its route, separately from the requests. <see langword="true"/> by default.</summary>
    public bool MeasureAfterResponse { get; set; } = true;

    /// <summary>Whether the traces of the slowest requests are kept: for each route and status code, the four slowest requests of the
    /// current minute and of the previous minute, and as many requests with the most CPU time. <see langword="false"/> by
    /// default.</summary>
    /// <remarks>The page and JSON show the slowest requests of all routes. An exposition in OpenMetrics or protobuf contains them as
    /// exemplars of durations and CPU times, with the labels <c>trace_id</c> and <c>span_id</c>. If the application traces requests, only
    /// sampled requests are kept. Otherwise, the IDs are those in the logs. This takes about 2 KB for each route and status
    /// code.</remarks>
    public bool CollectExemplars { get; set; }

    /// <summary>Whether responses have the header <c>Server-Timing: cpu;dur=…, total;dur=…</c>, which contains the CPU and wall time in
    /// milliseconds until the headers are sent. <see langword="false"/> by default, because it reveals the cost of requests to
    /// clients.</summary>
    public bool AddServerTiming { get; set; }

    /// <summary>The CPU time above which a request is logged. Each such request is logged once, as a warning with its method, route, CPU
    /// and wall time: while it is running (this is checked each second), or when it ends, with its status code. With
    /// <see cref="PicolloOptions.EnableProfiling"/>, its CPU profile is also kept. Work after the response does not count. More than zero,
    /// and at most one hour; <see langword="null"/>, the default, for no budget. In a configuration, write 100 ms as <c>00:00:00.1</c>:
    /// <c>100</c> would be 100 days. The check takes 0.1 % of a processor in an idle application.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan? CpuBudget
    {
        get;
        set => field = Budget(value, nameof(CpuBudget));
    }

    /// <summary>Whether the page and JSON show the paths of running requests. <see langword="false"/> by default, because paths may contain
    /// personal data.</summary>
    public bool ShowPaths { get; set; }

    /// <summary>The maximum number of pairs of method and route that have their own histograms. Further requests share those of the route
    /// <c>(other)</c>. Each method that an endpoint declares has a reserved pair, so that other requests cannot displace it. If more pairs
    /// are declared, three quarters of the maximum are reserved. This is also the maximum number of names of <see cref="WorkMeter"/>. 1 or
    /// more, 256 by default. Each row takes 9 to 22 KB of memory, depending on the range of its values, 2 KB for each additional status
    /// code, and up to 10 KB if requests have bodies.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public int MaxRoutes
    {
        get;
        set => field = PicolloOptions.AtLeast(1, value);
    } = 256;

    internal bool MeasuresLatency => LatencyBreakdown || LatencyBudget is not null;

    private static TimeSpan? Budget(TimeSpan? value, string property) =>
        value is { } budget && (budget <= TimeSpan.Zero || budget > TimeSpan.FromHours(1))
            ? throw new ArgumentOutOfRangeException(
                property,
                value,
                "The budget must be above 0 and at most 1 hour. In a configuration, 100 ms is \"00:00:00.1\", and \"100\" is 100 days.")
            : value;
}
