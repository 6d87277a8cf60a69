using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Requests;
using Picollo.Cpu;
using Picollo.Profiling;
using Picollo.Profiling.Sampling;

namespace Picollo.AspNetCore.Profiles;

/// <summary>Takes CPU profiles of this process and keeps the last ones, and those of the last requests above the CPU budget. Nothing is
/// stored elsewhere. Thread-safe.</summary>
internal sealed class CpuProfiles(
    IOptions<PicolloOptions> options, RouteTable routes, WorkMeter work, ILoggerFactory loggers, TimeProvider time)
    : IHostedService, IDisposable
{
    /// <summary>How long a profile takes.</summary>
    public static readonly TimeSpan Duration = TimeSpan.FromSeconds(10);

    /// <summary>The number of profiles that are kept.</summary>
    public const int MostProfiles = 8;

    /// <summary>The memory for all of them, but for the last: about 50 MB.</summary>
    internal const int MostNodes = 200_000;

    private readonly Lock _gate = new();
    private readonly List<StoredProfile> _stored = []; // the oldest first
    private CpuProfiler? _profiler;
    private KeptFlows? _kept;
    private int _isTaking;

    /// <summary>Whether the options permit profiles.</summary>
    public bool IsEnabled => options.Value.Profiling;

    /// <summary>The profiles that are kept, the latest first.</summary>
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

    /// <summary>The last requests and runs of named work above the budget, the latest first.</summary>
    public IReadOnlyList<KeptFlow> OverBudget => _kept?.All ?? [];

    /// <summary>The profile with an ID, or the <c>latest</c>; null if it is not kept.</summary>
    public StoredProfile? Find(string id) => All.FirstOrDefault(profile => profile.Id == id || id == "latest");

    /// <summary>The profiles of some of <see cref="OverBudget"/>; none if the application ends.</summary>
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

    /// <summary>Takes a profile, and keeps it.</summary>
    /// <param name="cancellation">Ends it early, without a profile.</param>
    /// <returns>The profile; or the reason why there is none, and whether another one is being taken.</returns>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public async Task<(StoredProfile? Profile, string Reason, bool IsBusy)> TakeAsync(CancellationToken cancellation)
    {
        if (Interlocked.Exchange(ref _isTaking, 1) != 0)
        {
            return (null, "Another CPU profile is being taken. Try again in 10 seconds.", true);
        }

        try
        {
            if (!CpuProfiler.TryStart(null, out CpuProfiler? profiler, out string? reason))
            {
                return (null, reason, false);
            }

            using (profiler)
            {
                await Task.Delay(Duration, time, cancellation).ConfigureAwait(false);
                return (Store(profiler.Stop()), "", false);
            }
        }
        finally
        {
            Volatile.Write(ref _isTaking, 0);
        }
    }

    /// <summary>Starts to sample requests, if the options have a budget.</summary>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (IsEnabled && options.Value.CpuBudget is { } budget && _profiler is null)
        {
            var kept = new KeptFlows(budget, IsOfRow);
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

    /// <summary>Whether a label is that of a row, from which the page links to what is kept: not of Picollo's own page, or of another
    /// application in the process, which may have rows with the same names. The label of a flow that has ended is its row's own.</summary>
    private bool IsOfRow(FlowLabel label) => routes.All.Concat(work.All).Any(row => ReferenceEquals(row.Label, label));

    /// <summary>Keeps a profile, and forgets the oldest ones beyond the limits.</summary>
    internal StoredProfile Store(CpuProfile profile)
    {
        var stored = new StoredProfile(Guid.NewGuid().ToString("n")[..16], profile);
        lock (_gate)
        {
            _stored.Add(stored);
            while (_stored.Count > MostProfiles || (_stored.Count > 1 && _stored.Sum(each => each.NodeCount) > MostNodes))
            {
                _stored.RemoveAt(0);
            }
        }

        return stored;
    }
}

/// <summary>A profile that was taken.</summary>
/// <param name="Id">Identifies it in addresses.</param>
/// <param name="Profile">The profile.</param>
internal sealed record StoredProfile(string Id, CpuProfile Profile)
{
    /// <summary>The number of nodes of all its trees.</summary>
    public int NodeCount { get; } = Profile.CountNodes();
}
