using Picollo.Cpu;
using Picollo.Scheduling;

namespace Picollo.AspNetCore;

/// <summary>What Picollo does in a web application; read once, when it starts.</summary>
public sealed class PicolloOptions
{
    /// <summary>Whether a request's user and kernel time are told apart: two clock reads more at each of its switches between threads.
    /// <see cref="CpuUsageDetail.TotalOnly"/> by default.</summary>
    public CpuUsageDetail Detail { get; set; } = CpuUsageDetail.TotalOnly;

    /// <summary>Whether responses carry <c>Server-Timing: cpu;dur=…, total;dur=…</c> in milliseconds, up to the moment their headers are
    /// sent. Off by default: it tells a client what a request cost.</summary>
    public bool ServerTiming { get; set; }

    /// <summary>The CPU time above which a request is logged, as a warning with its method, route, CPU and wall time; null, the default, for
    /// none.</summary>
    public TimeSpan? CpuBudget { get; set; }

    /// <summary>How many pairs of method and route have histograms of their own; requests beyond share those of the route
    /// <c>(other)</c>. 1 or more, 256 by default.</summary>
    public int MaxRoutes { get; set; } = 256;

    /// <summary>How many pages are shown live at a time; more get 503. 1 or more, 16 by default.</summary>
    public int MaxViewers { get; set; } = 16;

    /// <summary>The pool of endpoints with <c>RequireCpuWorker()</c>.</summary>
    public CpuWorkerPoolOptions CpuWorkers { get; set; } = new();

    /// <summary>How many of those endpoints' requests wait at a time for a worker; more get 503 with <c>Retry-After</c>. 0 or
    /// more, 100 by default.</summary>
    public int CpuWorkerQueueLimit { get; set; } = 100;
}
