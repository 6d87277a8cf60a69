using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Scheduling;

namespace Picollo.AspNetCore;

/// <summary>The options of Picollo in a web application. They are read once, when the application starts.</summary>
public sealed class PicolloOptions
{
    internal const int MaxPageTokenLength = 128;
    private const int MinPageTokenLength = 16;

    /// <summary>Whether all requests are measured, from before the first middleware to after the last one, and not only requests that reach
    /// <c>UsePicollo()</c>. This includes routing, endpoints with <c>ShortCircuit()</c>, static files, and requests that are answered early
    /// in the pipeline. <see langword="false"/> by default. If it is set, an additional <c>UsePicollo()</c> has no effect.</summary>
    public bool MeasureAllRequests { get; set; }

    /// <summary>Specifies whether a request's user and kernel time are measured separately, which costs two more clock readings each time
    /// the request switches threads. <see cref="CpuUsageDetail.TotalOnly"/> by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not defined in the enumeration.</exception>
    public CpuUsageDetail Detail
    {
        get;
        set => field = Enum.IsDefined(value) ? value : throw new ArgumentOutOfRangeException(nameof(Detail), value, null);
    } = CpuUsageDetail.TotalOnly;

    /// <summary>Whether the bytes that a request allocates on all its threads are measured, too. This costs one more reading, of about
    /// 10 ns, each time the request switches threads, and up to 10 KB for each route. <see langword="false"/> by default.</summary>
    /// <remarks>If other threads still run a part of the request at its end, the bytes are recorded when they have left the request, at
    /// most a second later. Bytes of parts that run longer are not counted.</remarks>
    public bool MeasureAllocations { get; set; }

    /// <summary>Whether the pauses of the garbage collector, the delays of the thread pool and the waits for locks are measured, and shown
    /// on the page, in JSON and in the exposition. <see langword="false"/> by default. They are measured by a
    /// <see cref="Picollo.Diagnostics.RuntimeMeter"/> that runs as long as the host. Its histograms are in the application's
    /// <see cref="Picollo.Metrics.HdrHistogramRegistry"/>. An idle application uses about 0.1 % of a processor for this, once for all
    /// hosts of a process (.NET 10.0.12 on a virtual machine with two AMD EPYC processors).</summary>
    public bool MeasureRuntime { get; set; }

    /// <summary>Whether the traces of the slowest requests are kept: for each route and status code, the four slowest requests of the
    /// current minute and of the previous minute, and as many requests with the most CPU time. <see langword="false"/> by
    /// default.</summary>
    /// <remarks>The page and JSON show the slowest requests of all routes. An exposition in OpenMetrics or protobuf contains them as
    /// exemplars of durations and CPU times, with the labels <c>trace_id</c> and <c>span_id</c>. If the application traces requests, only
    /// sampled requests are kept. Otherwise, the IDs are those in the logs. This takes about 2 KB for each route and status
    /// code.</remarks>
    public bool CollectExemplars { get; set; }

    /// <summary>Whether the page can take CPU profiles of this process, by route, on Linux. <see langword="false"/> by default.</summary>
    /// <remarks>
    /// <para>A profile takes ten seconds. During this time it costs about 0.4 % of the CPU time and, without the permission to sample CPUs
    /// (root, <c>CAP_PERFMON</c>), about 2 µs each time that a thread waits and is woken. Only one profile is taken at a time, and the last
    /// eight are kept in memory. At other times, nothing is sampled or recorded, unless <see cref="CpuBudget"/> is set. If it is set, the
    /// profiler runs as long as the host, with less than 0.1 % of a processor while the application is idle, and keeps the profiles of the
    /// last requests above the budget, four for each route and 64 in total.</para>
    /// <para>A profile shows the names of methods, routes and files to everyone who can see the page, but no data of the application.
    /// <see cref="Picollo.Profiling.CpuProfiler"/> documents the requirements and limits. If profiling is unavailable, the page shows the
    /// reason.</para>
    /// </remarks>
    public bool Profiling { get; set; }

    /// <summary>Whether responses have the header <c>Server-Timing: cpu;dur=…, total;dur=…</c>, which contains the CPU and wall time in
    /// milliseconds until the headers are sent. <see langword="false"/> by default, because it reveals the cost of requests to
    /// clients.</summary>
    public bool ServerTiming { get; set; }

    /// <summary>The CPU time above which a request is logged. Each such request is logged once, as a warning with its method, route, CPU
    /// and wall time: while it is running (this is checked each second), or when it ends, with its status code. With
    /// <see cref="Profiling"/>, its CPU profile is also kept. Work after the response does not count. Zero to one hour;
    /// <see langword="null"/>, the default, for no budget. In a configuration, write 100 ms as <c>00:00:00.1</c>: <c>100</c> would be 100
    /// days. The check takes 0.1 % of a processor in an idle application.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan? CpuBudget
    {
        get;
        set => field = value is { } budget && (budget < TimeSpan.Zero || budget > TimeSpan.FromHours(1))
            ? throw new ArgumentOutOfRangeException(
                nameof(CpuBudget),
                value,
                "The CPU budget must be from 0 to 1 hour. In a configuration, write 100 ms as \"00:00:00.1\": \"100\" is 100 days.")
            : value;
    }

    /// <summary>Whether the CPU time of work that a request has started and that continues after its response (tasks, timers, SignalR over
    /// long polling) is counted for its route, separately from the requests. <see langword="true"/> by default.</summary>
    public bool MeasureAfterResponse { get; set; } = true;

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
        set => field = AtLeast(1, value);
    } = 256;

    /// <summary>The maximum number of pages that are updated live at a time. Further pages get 503. 1 or more, 16 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public int MaxViewers
    {
        get;
        set => field = AtLeast(1, value);
    } = 16;

    /// <summary>The token that opens the page to clients on this machine of which the server cannot prove that they run as its own user.
    /// 16 to 128 letters, digits, or characters of <c>-._~</c>. <see langword="null"/>, the default, for a random token that changes at
    /// each start.</summary>
    /// <remarks>
    /// <para>The token is required in the Development environment, unless <c>RequireAuthorization()</c> or <c>AllowAnonymous()</c> is
    /// called on the page: on Linux, for requests of other users; on other systems, for all requests. The address with the token is logged
    /// at startup: event 3, <c>PageAddress</c>, of the category <c>Picollo.AspNetCore.Page</c>. A browser stores the token in a cookie.
    /// Other clients send it in the header <c>Authorization: Bearer …</c>.</para>
    /// <para>Set this option to keep the token when the application restarts. Do not store a token in source control.</para>
    /// </remarks>
    /// <exception cref="ArgumentException">The value has another length, or contains other characters.</exception>
    public string? PageToken
    {
        get;
        set => field = value is null || (value.Length is >= MinPageTokenLength and <= MaxPageTokenLength && value.All(IsTokenCharacter))
            ? value
            : throw new ArgumentException(
                $"The token must have {MinPageTokenLength} to {MaxPageTokenLength} letters (a to z, A to Z), digits, or characters of -._~",
                nameof(PageToken));
    }

    /// <summary>The options of the pool that runs endpoints with <c>RequireCpuWorker()</c>. They are copied at the first request to such an
    /// endpoint.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public CpuWorkerPoolOptions CpuWorkers
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(CpuWorkers));
    } = new();

    /// <summary>The maximum number of requests to endpoints with <c>RequireCpuWorker()</c> that wait for a worker at a time, to start or to
    /// continue. Further requests get 503 with <c>Retry-After</c>. 0 or more, 100 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public int CpuWorkerQueueLimit
    {
        get;
        set => field = AtLeast(0, value);
    } = 100;

    /// <summary>The meters whose histograms appear on the page, with p50 to p99.99 for each set of tags. These can be meters of the
    /// framework, of libraries and of the application. The options are copied when the application starts. No meter by default.</summary>
    /// <remarks>
    /// The meter <c>Picollo.AspNetCore</c> is always excluded. If <c>UsePicollo()</c> is called or <see cref="MeasureAllRequests"/> is set,
    /// <c>http.server.request.duration</c> is also excluded, because the table of routes shows it.
    /// <example>
    /// <code>
    /// builder.Services.AddPicollo(options =&gt; options.Meters.AddMeter("Microsoft.AspNetCore.Hosting", "System.Net.Http", "MyApp*"));
    /// </code>
    /// </example>
    /// </remarks>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public MeterHistogramsOptions Meters
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(Meters));
    } = new();

    private static bool IsTokenCharacter(char c) => char.IsAsciiLetterOrDigit(c) || "-._~".Contains(c, StringComparison.Ordinal);

    private static T AtLeast<T>(T least, T value, [CallerMemberName] string property = "")
        where T : IComparable<T>
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, least, property);
        return value;
    }
}
