using Picollo.AspNetCore.Measuring;
using Picollo.Cpu;
using Picollo.Profiling;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Waits;

namespace Picollo.AspNetCore.Profiles;

/// <summary>Takes CPU profiles of this process, and measures what its requests wait for. Keeps the last results, and the profiles of the
/// last requests above the CPU budget, only in memory. Thread-safe.</summary>
internal sealed class CpuProfiles(
    IOptions<PicolloOptions> options, RouteTable routes, WorkMeter work, ILoggerFactory loggers, TimeProvider time)
    : IHostedService, IDisposable
{
    public static readonly TimeSpan Duration = TimeSpan.FromSeconds(10);

    public const int MaxProfiles = 8;

    /// <summary>The maximum number of nodes of all kept profiles, about 50 MB. The last profile is kept even if it exceeds this
    /// limit.</summary>
    internal const int MaxNodes = 200_000;

    private readonly Lock _gate = new();
    private readonly List<StoredProfile> _stored = []; // oldest first
    private readonly List<StoredWaits> _storedWaits = []; // oldest first; at most half a megabyte each
    private CpuProfiler? _profiler;
    private KeptFlows? _kept;
    private int _isTaking;

    public bool IsEnabled => options.Value.EnableProfiling;

    /// <summary>The kept profiles, newest first.</summary>
    public IReadOnlyList<StoredProfile> All
    {
        get
        {
            lock (_gate)
            {
                return [.. _stored.AsEnumerable().Reverse()];
            }
        }
    }

    /// <summary>The kept waits, newest first.</summary>
    public IReadOnlyList<StoredWaits> AllWaits
    {
        get
        {
            lock (_gate)
            {
                return [.. _storedWaits.AsEnumerable().Reverse()];
            }
        }
    }

    /// <summary>The last requests and runs of named work above the budget, newest first.</summary>
    public IReadOnlyList<KeptFlow> OverBudget => _kept?.All ?? [];

    /// <summary>Returns the profile with an ID, or the newest one for the ID <c>latest</c>; null if it is not kept.</summary>
    public StoredProfile? Find(string id) => All.FirstOrDefault(profile => profile.Id == id || id == "latest");

    /// <summary>Returns the waits with an ID, or the newest ones for the ID <c>latest</c>; null if they are not kept.</summary>
    public StoredWaits? FindWaits(string id) => AllWaits.FirstOrDefault(waits => waits.Id == id || id == "latest");

    /// <summary>Returns the profiles of some of the flows in <see cref="OverBudget"/>; empty if the application is stopping.</summary>
    public IReadOnlyList<CpuProfile> ProfilesOf(IEnumerable<KeptFlow> flows)
    {
        try
        {
            return _profiler?.ProfilesOf(flows) ?? [];
        }
        catch (ObjectDisposedException)
        {
            return [];
        }
    }

    /// <summary>Takes a CPU profile.</summary>
    /// <returns>The ID of the profile; or the reason why no profile was taken, and whether another profile is being taken.</returns>
    /// <exception cref="OperationCanceledException">Profiling was canceled.</exception>
    public Task<(string? Id, string Reason, bool IsBusy)> TakeAsync(CancellationToken cancellation) =>
        TakeAsync(() => CpuProfiler.Start(), profiler => Store(profiler.Stop()).Id, cancellation);

    /// <summary>Measures waits for the duration of a profile.</summary>
    /// <inheritdoc cref="TakeAsync(CancellationToken)"/>
    public Task<(string? Id, string Reason, bool IsBusy)> TakeWaitsAsync(CancellationToken cancellation) =>
        TakeAsync(WaitProfiler.Start, profiler => Store(profiler.Stop()).Id, cancellation);

    private async Task<(string? Id, string Reason, bool IsBusy)> TakeAsync<T>(
        Func<T> start, Func<T, string> store, CancellationToken cancellation)
        where T : IDisposable
    {
        if (Interlocked.Exchange(ref _isTaking, 1) != 0)
        {
            return (null, "Another profile is being taken. Try again in 10 seconds.", true);
        }

        try
        {
            using T profiler = start();
            await Task.Delay(Duration, time, cancellation).ConfigureAwait(false);
            return (store(profiler), "", false);
        }
        catch (MeasurementUnavailableException e)
        {
            return (null, e.Message, false);
        }
        finally
        {
            Volatile.Write(ref _isTaking, 0);
        }
    }

    /// <summary>Starts sampling requests, if the options enable profiling and set a budget.</summary>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (IsEnabled && options.Value.Requests.CpuBudget is { } budget && _profiler is null)
        {
            var kept = new KeptFlows(budget, BelongsToRow);
            try
            {
                _profiler = CpuProfiler.Start(new ProfilerSettings(Environment.ProcessId, new CpuProfilerOptions()) { Kept = kept });
                _kept = kept;
            }
            catch (MeasurementUnavailableException e)
            {
                loggers.CreateLogger("Picollo.AspNetCore.Profiling").LogProfilingUnavailable(e.Message);
            }
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        Dispose();
        return Task.CompletedTask;
    }

    public void Dispose() => _profiler?.Dispose();

    /// <summary>Returns whether a label belongs to a row of this application, from which the page links to the kept profiles. Labels of
    /// Picollo's own page, or of another application in the process, do not. Another application can have rows with the same names, so
    /// labels are compared by reference: a flow that has ended has the label object of its row.</summary>
    private bool BelongsToRow(FlowLabel label) => routes.All.Concat<Row>(work.All).Any(row => ReferenceEquals(row.Label, label));

    internal StoredWaits Store(WaitProfile waits)
    {
        var stored = new StoredWaits(NewId(), waits);
        lock (_gate)
        {
            _storedWaits.Add(stored);
            _storedWaits.RemoveRange(0, Math.Max(0, _storedWaits.Count - MaxProfiles));
        }

        return stored;
    }

    internal StoredProfile Store(CpuProfile profile)
    {
        var stored = new StoredProfile(NewId(), profile);
        lock (_gate)
        {
            _stored.Add(stored);
            while (_stored.Count > MaxProfiles || (_stored.Count > 1 && _stored.Sum(stored => stored.NodeCount) > MaxNodes))
            {
                _stored.RemoveAt(0);
            }
        }

        return stored;
    }

    private static string NewId() => Guid.NewGuid().ToString("n")[..16];
}

internal sealed record StoredWaits(string Id, WaitProfile Waits);

internal sealed record StoredProfile(string Id, CpuProfile Profile)
{
    public int NodeCount { get; } = Profile.CountNodes();
}
