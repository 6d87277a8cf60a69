using Picollo.Cpu;
using Picollo.Scheduling;

namespace Picollo.AspNetCore;

/// <summary>What Picollo does in a web application; read once, when it starts.</summary>
public sealed class PicolloOptions
{
    /// <summary>Whether a request's user and kernel time are told apart: two clock reads more at each of its switches between threads.
    /// <see cref="CpuUsageDetail.TotalOnly"/> by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">None of the enumeration's values.</exception>
    public CpuUsageDetail Detail
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan((int)value, (int)CpuUsageDetail.TotalOnly, nameof(Detail));
            ArgumentOutOfRangeException.ThrowIfGreaterThan((int)value, (int)CpuUsageDetail.UserAndKernel, nameof(Detail));
            field = value;
        }
    } = CpuUsageDetail.TotalOnly;

    /// <summary>Whether all requests are measured, from before the first middleware to after the last, and not only those that reach
    /// <c>UseCpuUsage()</c>. This includes routing, endpoints with <c>ShortCircuit()</c>, static files and whatever else answers early in
    /// the pipeline. <see langword="false"/> by default. An additional <c>UseCpuUsage()</c> then has no effect.</summary>
    public bool MeasureAllRequests { get; set; }

    /// <summary>Whether responses carry <c>Server-Timing: cpu;dur=…, total;dur=…</c> in milliseconds, up to the moment their headers are
    /// sent. Off by default: it tells a client what a request cost.</summary>
    public bool ServerTiming { get; set; }

    /// <summary>The CPU time above which a request is logged, as a warning with its method, route, CPU and wall time and status code; zero
    /// or more, or null, the default, for none.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Negative.</exception>
    public TimeSpan? CpuBudget
    {
        get;
        set
        {
            if (value is { } budget)
            {
                ArgumentOutOfRangeException.ThrowIfLessThan(budget, TimeSpan.Zero, nameof(CpuBudget));
            }

            field = value;
        }
    }

    /// <summary>How many pairs of method and route have histograms of their own; requests beyond share those of the route
    /// <c>(other)</c>. 1 or more, 256 by default. Each takes 16 KB for every thread that has served it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than that.</exception>
    public int MaxRoutes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(MaxRoutes));
            field = value;
        }
    } = 256;

    /// <summary>How many pages are shown live at a time; more get 503. 1 or more, 16 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than that.</exception>
    public int MaxViewers
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(MaxViewers));
            field = value;
        }
    } = 16;

    /// <summary>The pool of endpoints with <c>RequireCpuWorker()</c>.</summary>
    /// <exception cref="ArgumentNullException">Null.</exception>
    public CpuWorkerPoolOptions CpuWorkers
    {
        get;
        set
        {
            ArgumentNullException.ThrowIfNull(value, nameof(CpuWorkers));
            field = value;
        }
    } = new();

    /// <summary>How many of those endpoints' requests wait at a time for a worker, for their first turn or to go on; more get 503 with
    /// <c>Retry-After</c>. 0 or more, 100 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than that.</exception>
    public int CpuWorkerQueueLimit
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 0, nameof(CpuWorkerQueueLimit));
            field = value;
        }
    } = 100;
}
