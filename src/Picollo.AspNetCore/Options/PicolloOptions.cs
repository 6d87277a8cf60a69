using Picollo.Diagnostics;
using Picollo.Scheduling;

namespace Picollo.AspNetCore;

/// <summary>The options of Picollo in a web application. They are read once, when the application starts, from the delegate or the
/// configuration that <c>AddPicollo()</c> receives, and from <c>Configure&lt;PicolloOptions&gt;()</c>.</summary>
public sealed class PicolloOptions
{
    internal const int MaxPageTokenLength = 128;
    private const int MinPageTokenLength = 16;

    /// <summary>The options of the measurement of requests.</summary>
    public PicolloRequestOptions Requests { get; } = new();

    /// <summary>Whether the pauses of the garbage collector, the delays of the thread pool and the waits for locks are measured, and shown
    /// on the page, in JSON and in the exposition. <see langword="false"/> by default. They are measured by a
    /// <see cref="Picollo.Diagnostics.RuntimeMeter"/> that runs as long as the host. Its histograms are in the application's
    /// <see cref="Picollo.Metrics.HdrHistogramRegistry"/>. An idle application uses about 0.1 % of a processor for this, once for all
    /// hosts of a process (.NET 10.0.12 on a virtual machine with two AMD EPYC processors).</summary>
    public bool MeasureRuntime { get; set; }

    /// <summary>Whether the page can take CPU profiles of this process, by route, on Linux, and measure what the requests to each route
    /// wait for, and in which methods. <see langword="false"/> by default.</summary>
    /// <remarks>
    /// <para>A profile takes ten seconds. During this time it costs about 0.4 % of the CPU time and, without the permission to sample CPUs
    /// (root, <c>CAP_PERFMON</c>), about 2 µs each time that a thread waits and is woken. Only one profile is taken at a time, and the last
    /// eight are kept in memory. At other times, nothing is sampled or recorded, unless <see cref="PicolloRequestOptions.CpuBudget"/> is
    /// set. If it is set, the profiler runs as long as the host, with less than 0.1 % of a processor while the application is idle, and
    /// keeps the profiles of the last requests above the budget, four for each route and 64 in total.</para>
    /// <para>Measuring waits takes ten seconds, too, and needs no permission. It costs about 1 µs for each await that suspends, and 2 to
    /// 3 µs for each request.</para>
    /// <para>A profile shows the names of methods, routes and files to everyone who can see the page, but no data of the application.
    /// <see cref="Picollo.Profiling.CpuProfiler"/> documents the requirements and limits. If profiling is unavailable, the page shows the
    /// reason.</para>
    /// </remarks>
    public bool EnableProfiling { get; set; }

    /// <summary>The maximum number of pages that are updated live at a time. Further pages get 503. 1 or more, 16 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public int MaxPageViewers
    {
        get;
        set => field = AtLeast(1, value);
    } = 16;

    /// <summary>The token that opens the page to clients on this machine that run as another user, or whose user is unknown. 16 to
    /// 128 letters, digits, or characters of <c>-._~</c>. <see langword="null"/>, the default, for a random token that changes at each
    /// start.</summary>
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
    public CpuWorkerPoolOptions CpuWorkers { get; } = new();

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
    /// The meter <c>Picollo.AspNetCore</c> is always excluded. If <c>UsePicollo()</c> is called or
    /// <see cref="PicolloRequestOptions.MeasureAll"/> is set, <c>http.server.request.duration</c> is also excluded, because the table of
    /// routes shows it.
    /// <example>
    /// <code>
    /// builder.Services.AddPicollo(options =&gt; options.Meters.AddMeter("Microsoft.AspNetCore.Hosting", "System.Net.Http", "MyApp*"));
    /// </code>
    /// </example>
    /// </remarks>
    public MeterHistogramsOptions Meters { get; } = new();

    private static bool IsTokenCharacter(char c) => char.IsAsciiLetterOrDigit(c) || "-._~".Contains(c, StringComparison.Ordinal);

    internal static int AtLeast(int least, int value, [CallerMemberName] string property = "") =>
        value >= least ? value : throw new ArgumentOutOfRangeException(property, value, $"The value must be {least} or more.");
}
