using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu;
using Picollo.PerfEvent;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling;

/// <summary>Samples the stacks of a process while it uses CPU time. Linux only.</summary>
/// <remarks>
/// <para>The kernel takes a sample each time a CPU or a thread has used another <c>1 / Frequency</c> seconds of CPU time
/// (<c>perf_event_open(2)</c>). It does not wait for a safepoint, and a thread that waits has no samples. If the kernel permits CPU-wide
/// events (for root, or with <c>CAP_PERFMON</c>), the profiler uses them, because they cost nothing when threads wait. The kernel reads the
/// stack by frame pointers, which .NET code has, except small methods that make a single call. A thread of this class reads the samples.
/// The sampled threads run none of its code, except that threads of this process record switches between watched flows (60 to 73 ns),
/// without allocations in the steady state. Memory is bounded: 256 KiB for each CPU, 30 MB for distinct stacks, and 16 MB for
/// switches.</para>
/// <para>No PMU, environment variable or root access is needed: <c>kernel.perf_event_paranoid</c> 2, the default of the kernel, permits an
/// ordinary user to sample its own processes. Docker's default seccomp profile blocks <c>perf_event_open</c>, and Debian and Ubuntu set the
/// value to 3 or 4.</para>
/// <para>For the names of compiled methods, the runtime of the process writes a perf map to <c>/tmp</c> while it is profiled. This takes
/// about 15 ms at the start, or 0.5 s for 4,000 methods on a busy machine. The file is unlinked immediately.</para>
/// <para>The runtime (10.0.12) can crash if methods are unloaded while it lists them at the start of a profile (docs/profiling.md,
/// "Limits").</para>
/// <para>The profiler has one open file descriptor per CPU, or per pair of a thread and a CPU. Any thread may call <see cref="Stop()"/> and
/// <see cref="Dispose"/>, which leave no descriptor, mapping, file or thread behind.</para>
/// <example>
/// <code>
/// using var profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 99 });
/// Work();
/// CpuProfile profile = profiler.Stop();
/// Console.WriteLine(profile);
/// </code>
/// </example>
/// </remarks>
public sealed class CpuProfiler : IDisposable
{
    /// <summary>The minimum number of expected samples for the note about short-lived threads. With fewer, a difference may be
    /// random.</summary>
    private const int MinExpectedSamples = 100;

    private readonly Lock _gate = new();
    private readonly ProfilerSettings _settings;
    private readonly ProcessFiles _files;
    private readonly PerfMapFile? _perfMap;
    private readonly string? _perfMapReason;
    private readonly SamplingEvents _events;
    private readonly SampleCollector _samples;
    private readonly SampleReader _reader;
    private readonly DateTimeOffset _startTime = DateTimeOffset.UtcNow;
    private readonly long _start;
    private readonly CpuUsage _usageBefore;
    private CpuProfile? _profile;
    private bool _isDisposed;

    private CpuProfiler(ProfilerSettings settings)
    {
        _settings = settings;
        _files = new ProcessFiles(settings.ProcessId);
        if (_files.ProcessId != settings.ProcessId)
        {
            throw new MeasurementUnavailableException(
                $"{settings.ProcessId} is a thread of process {_files.ProcessId}. Profile that process instead.",
                MeasurementUnavailableCause.TargetNotFound);
        }

        if (settings is { PerfMapFolder: null, Kept: null })
        {
            _perfMap = PerfMapFile.Request(_files, out _perfMapReason);
        }

        FlowTimeline? timeline = null;
        try
        {
            // This must happen before the first sample.
            timeline = settings is { IsCommand: false } && settings.ProcessId == Environment.ProcessId
                ? new FlowTimeline(FlowRecorder.Start())
                : null;
            _events = SamplingEvents.Open(
                new SamplingTarget(settings.ProcessId, settings.Options.Frequency, settings.Options.IncludeKernel, settings.IsCommand));

            // The code is listed after the events are open, because code that is mapped later has a record.
            _samples = new SampleCollector(
                settings.ProcessId,
                ProcessFiles.NameOf(settings.ProcessId),
                CodeMapping.Parse(_files.ReadMaps()),
                followsChildren: settings.IsCommand,
                MaxStackLength,
                timeline,
                settings.Kept);
            _ = CpuUsageReader.TryGetByProcess(settings.ProcessId, out _usageBefore, out _);
            _start = Stopwatch.GetTimestamp();
            _reader = new SampleReader(_events.Rings, _samples, settings.Options.Frequency, _usageBefore);
        }
        catch
        {
            timeline?.Dispose();
            _events?.Dispose();
            _perfMap?.Dispose();
            throw;
        }
    }

    /// <summary>The maximum number of addresses that the kernel records for a stack, for kernel and program together.</summary>
    private static int MaxStackLength => PerfMachine.ReadSetting("/proc/sys/kernel/perf_event_max_stack\0"u8)
        ?? SampleCollector.DefaultMaxStackLength;

    /// <summary>Starts sampling a process.</summary>
    /// <param name="options">The options; <see langword="null"/> for this process at 99 Hz.</param>
    /// <returns>The profiler, to stop or dispose.</returns>
    /// <exception cref="MeasurementUnavailableException">The process cannot be sampled: the kernel does not permit it, there is no such
    /// process, or this is not Linux. The message contains the cause and the remedy.</exception>
    public static CpuProfiler Start(CpuProfilerOptions? options = null)
    {
        options = options?.Copy() ?? new CpuProfilerOptions();
        return Start(new ProfilerSettings(options.ProcessId ?? Environment.ProcessId, options));
    }

    /// <summary>Starts sampling a process, but returns the exception instead of throwing it.</summary>
    /// <param name="options">The options; <see langword="null"/> for this process at 99 Hz.</param>
    /// <param name="profiler">The profiler; <see langword="null"/> if the process cannot be sampled.</param>
    /// <param name="failure">The cause of a failure; <see langword="null"/> on success.</param>
    /// <returns><see langword="true"/> if sampling has started; otherwise, <see langword="false"/>.</returns>
    public static bool TryStart(
        CpuProfilerOptions? options,
        [NotNullWhen(true)] out CpuProfiler? profiler,
        [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        try
        {
            (profiler, failure) = (Start(options), null);
            return true;
        }
        catch (MeasurementUnavailableException e)
        {
            (profiler, failure) = (null, e);
            return false;
        }
    }

    internal static CpuProfiler Start(ProfilerSettings settings) => OperatingSystem.IsLinux()
        ? new CpuProfiler(settings)
        : throw new MeasurementUnavailableException("CPU profiles are available only on Linux.", MeasurementUnavailableCause.NotSupported);

    /// <summary>The number of samples so far, with a delay of up to 250 ms.</summary>
    internal long SampleCount => _samples.SampleCount;

    /// <summary>Stops sampling and resolves the names. Blocks for a few milliseconds, or for up to a second if many files must be read. A
    /// second call returns the same profile.</summary>
    /// <returns>The profile.</returns>
    /// <exception cref="ObjectDisposedException">The profiler was disposed before it was stopped.</exception>
    public CpuProfile Stop() => Stop(usage: null);

    /// <summary>Stops sampling, with the known CPU time of a command that has exited.</summary>
    internal CpuProfile Stop(CpuUsage? usage)
    {
        lock (_gate)
        {
            if (_profile is null)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                TimeSpan duration = Stopwatch.GetElapsedTime(_start);
                EndSampling();
                try
                {
                    CpuUsage used = usage ?? _reader.Usage - _usageBefore;
                    var builder = new ProfileBuilder(_settings, _files, _perfMap, _samples);
                    CpuProfileNode root = builder.Build();
                    var data = new ProfileData(root)
                    {
                        Title = builder.Title,
                        StartTime = _startTime,
                        Duration = duration,
                        Frequency = _settings.Options.Frequency,
                        EventName = _events.Name,
                        IncludesKernel = _settings.Options.IncludeKernel,
                        CpuUsage = used,
                        LostSampleCount = _samples.LostCount,
                        Notes =
                        [
                            .. new[] { _perfMapReason, GetShortThreadsNote(root.Value, used), GetUnknownFlowsNote() }
                                .OfType<string>(),
                            .. builder.Notes,
                        ],
                    };
                    _profile = new CpuProfile(data, _samples.Flows is { } flows ? FlowProfiles.Build(flows, builder) : null);
                }
                finally
                {
                    Release();
                }
            }

            return _profile;
        }
    }

    /// <summary>Returns the profiles of kept flows, with the names that are currently known.</summary>
    /// <exception cref="ObjectDisposedException">The profiler was stopped or disposed.</exception>
    internal IReadOnlyList<CpuProfile> ProfilesOf(IEnumerable<KeptFlow> flows)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);

            // Requests the map only now, because a profiler that runs for days would keep a map of all methods that were ever compiled.
            using PerfMapFile? perfMap = PerfMapFile.Request(_files, out string? reason);
            var builder = new ProfileBuilder(_settings, _files, perfMap, _samples);
            return
            [
                .. flows.Select(flow => new CpuProfile(new ProfileData(builder.Build(flow.Samples))
                {
                    Title = $"{flow.Label} in {builder.Title}",
                    StartTime = flow.EndTimeUtc - flow.WallTime,
                    Duration = flow.WallTime,
                    Frequency = _settings.Options.Frequency,
                    EventName = _events.Name,
                    CpuUsage = flow.CpuUsage,
                    Notes = [.. new[] { reason }.OfType<string>(), .. builder.Notes],
                })),
            ];
        }
    }

    /// <summary>Stops sampling without a profile, unless <see cref="Stop()"/> was called.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            if (!_isDisposed)
            {
                EndSampling();
                Release();
            }
        }
    }

    /// <summary>Returns a note about short-lived threads. A thread that uses less CPU time than the sampling period has no samples. Returns
    /// null unless the effect is noticeable.</summary>
    private string? GetShortThreadsNote(long samples, CpuUsage used)
    {
        const double NoticeableShare = 0.8;
        double sampled = (double)(samples + _samples.LostCount) / _settings.Options.Frequency;
        double expected = (_settings.Options.IncludeKernel ? used.Total : used.User).TotalSeconds;
        return _events.AreCpuEvents || sampled >= NoticeableShare * expected || expected * _settings.Options.Frequency < MinExpectedSamples
            ? null
            : string.Create(
                CultureInfo.InvariantCulture,
                $"The samples represent {sampled:0.00} s of {expected:0.00} s: a thread that uses less than "
                + $"1/{_settings.Options.Frequency} s of CPU time has no samples. A higher frequency shows shorter threads.");
    }

    private string? GetUnknownFlowsNote() => _samples.Flows is { UnknownCount: > 0 and var count }
        ? string.Create(
            CultureInfo.InvariantCulture,
            $"The flows of {count:N0} samples are unknown: threads switched between flows faster than could be recorded.")
        : null;

    private void EndSampling()
    {
        _events.CloseFiles();
        _reader.Dispose();
        _samples.Flows?.Complete();
    }

    private void Release()
    {
        _isDisposed = true;
        _events.Dispose();
        _perfMap?.Dispose();
    }
}

/// <summary>The trees of a profile: of watchers without a label, of labels, and of samples without a label.</summary>
internal sealed record FlowProfiles(
    IReadOnlyDictionary<CpuUsageAsyncWatcher, CpuProfileNode> Watchers,
    IReadOnlyDictionary<FlowLabel, CpuProfileNode> Labels,
    CpuProfileNode Unlabeled)
{
    public static FlowProfiles Build(FlowSamples samples, ProfileBuilder builder) => new(
        samples.Flows.ToDictionary(pair => pair.Key, pair => builder.Build(pair.Value)),
        samples.Labels.ToDictionary(pair => pair.Key, pair => builder.Build(pair.Value)),
        builder.Build(samples.Unlabeled));
}
