namespace Picollo.PerfEvent;

/// <summary>The configuration of a <see cref="PerfEventCounterSession"/>. Immutable: each method returns a new factory, in any order, which
/// can be stored and shared.</summary>
/// <remarks>
/// <para>By default, a session counts only user code of the thread that calls <see cref="Create"/>, on any CPU. It is enabled and not
/// pinned, and has no counters.</para>
/// <para>As many counters as the CPU has room for are opened as one group. The CPU runs a group together, and one call reads it at one
/// moment. Other counters form further groups. Groups are multiplexed and their counts are scaled
/// (<see cref="PerfEventCounter.RunningShare"/>), unless <see cref="WithPinned"/> prevents it.</para>
/// </remarks>
[DebuggerDisplay("ThreadId = {Settings.ThreadId}, Cpu = {Settings.Cpu}, ProcessId = {Settings.ProcessId}")]
public sealed partial class PerfEventCounterSessionFactory
{
    internal PerfEventCounterSessionFactory(PerfEventSettings settings) => Settings = settings;

    internal PerfEventSettings Settings { get; }

    /// <summary>Counts one thread on any CPU. Replaces any other target.</summary>
    /// <param name="threadId">The system's ID of a thread of any process (<see cref="Cpu.CpuUsageReader.GetThreadId"/>), at least 1. By
    /// default the session counts the thread that calls <see cref="Create"/>.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="threadId"/> is less than 1 or more than
    /// <see cref="int.MaxValue"/>.</exception>
    public PerfEventCounterSessionFactory WithThread(long threadId)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threadId, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(threadId, int.MaxValue);
        return WithTarget(threadId, -1);
    }

    /// <summary>Counts everything that runs on one CPU. Requires kernel.perf_event_paranoid 0 or CAP_PERFMON. Replaces any other
    /// target.</summary>
    /// <param name="cpu">The CPU's number, from 0.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="cpu"/> is negative.</exception>
    public PerfEventCounterSessionFactory WithCpu(int cpu)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(cpu);
        return WithTarget(-1, cpu);
    }

    /// <summary>Counts one thread, on any CPU or only while it runs on one, or everything on one CPU. Replaces any other target.
    /// <see cref="WithThread"/> and <see cref="WithCpu"/> are simpler.</summary>
    /// <param name="pid">A thread ID, as in <see cref="WithThread"/>; 0 for the thread that calls <see cref="Create"/>; or -1 for all
    /// threads, as in <see cref="WithCpu"/>.</param>
    /// <param name="cpu">A CPU number, from 0; or -1 for any.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The thread ID is less than -1 or more than <see cref="int.MaxValue"/>; the CPU number
    /// is less than -1, or it is -1 with all threads.</exception>
    public PerfEventCounterSessionFactory WithTarget(long pid, int cpu)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(pid, -1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pid, int.MaxValue);
        ArgumentOutOfRangeException.ThrowIfLessThan(cpu, pid < 0 ? 0 : -1);
        return new(Settings with { ThreadId = (int)pid, Cpu = cpu, ProcessId = null });
    }

    /// <summary>Counts all threads of a process: those that exist when the session is created and, unless <see cref="WithInherited"/>
    /// excludes them, those that they start later. A session needs a file descriptor for each counter of each thread. Replaces any other
    /// target.</summary>
    /// <param name="processId">The process ID; 0 for this process.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="processId"/> is negative.</exception>
    public PerfEventCounterSessionFactory WithProcess(int processId)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(processId);
        return new(Settings with { ProcessId = processId, ThreadId = 0, Cpu = -1 });
    }

    /// <summary>Sets whether threads and processes that the target starts later are also counted, until they end. Each counter then needs a
    /// separate call per read, because kernels do not read inherited counters as a group.</summary>
    /// <param name="inherited"><see langword="false"/> by default; <see langword="true"/> for a process
    /// (<see cref="WithProcess"/>).</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithInherited(bool inherited) => new(Settings with { Inherited = inherited });

    /// <summary>Sets whether all counters must be on the CPU whenever the target runs.</summary>
    /// <param name="pinned"><see langword="false"/> unless this method is called: counters that do not fit are multiplexed.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithPinned(bool pinned = true) => new(Settings with { IsPinned = pinned });

    /// <summary>Sets whether events that happen in the kernel on behalf of the target are also counted. Tracepoints, and software events
    /// that happen in the kernel such as context switches, always count.</summary>
    /// <param name="withKernel"><see langword="false"/> unless this method is called; <see langword="true"/> requires
    /// kernel.perf_event_paranoid 1 or CAP_PERFMON.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithKernel(bool withKernel = true) => new(Settings with { CountsKernel = withKernel });

    /// <summary>Sets whether the counted thread may read its counters in user space, without a system call.</summary>
    /// <remarks>With <see langword="false"/>, each read is a system call of a few hundred nanoseconds. Use it if user-space reads may be
    /// disabled while sessions are open (<c>/sys/bus/event_source/devices/cpu/rdpmc</c>, or <c>kernel.perf_user_access</c>): a read in user
    /// space then ends the process with a signal, which cannot be caught.</remarks>
    /// <param name="userSpaceReads"><see langword="true"/> by default.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithUserSpaceReads(bool userSpaceReads) =>
        new(Settings with { ReadsInUserSpace = userSpaceReads });

    /// <summary>Sets whether counting starts with <see cref="Create"/> or with <see cref="PerfEventCounterSession.Enable"/>.</summary>
    /// <param name="enabled"><see langword="true"/> by default.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithEnabled(bool enabled = true) => new(Settings with { IsEnabled = enabled });

    /// <summary>Sets whether unavailable counters are omitted and listed in <see cref="PerfEventCounterSession.UnavailableCounters"/>,
    /// instead of failing <see cref="Create"/>.</summary>
    /// <param name="optional"><see langword="false"/> by default.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithOptional(bool optional = true) => new(Settings with { IsOptional = optional });

    /// <summary>Adds instructions, core cycles and reference cycles, which Intel CPUs count without a programmable counter.</summary>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithFixedCounters() => WithHardwareCounters(
        PerfHardwareCounterId.Instructions, PerfHardwareCounterId.CpuCycles, PerfHardwareCounterId.RefCpuCycles);

    /// <summary>Adds the seven common hardware events: instructions, core and reference cycles, branches and their misses, cache references
    /// and misses.</summary>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithHardwareCounters() => WithFixedCounters().WithHardwareCounters(
        PerfHardwareCounterId.BranchInstructions,
        PerfHardwareCounterId.BranchMisses,
        PerfHardwareCounterId.CacheReferences,
        PerfHardwareCounterId.CacheMisses);

    /// <summary>Adds a hardware event with a name such as <c>Hardware:Instructions</c>.</summary>
    /// <param name="hardwareCounterId">The preset.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The preset's number is negative.</exception>
    /// <exception cref="ArgumentException">The factory already has this counter, or it already has 64 counters.</exception>
    public PerfEventCounterSessionFactory WithHardwareCounter(PerfHardwareCounterId hardwareCounterId) =>
        With(PerfTypeId.Hardware, hardwareCounterId, nameof(hardwareCounterId));

    /// <summary>Adds several hardware events.</summary>
    /// <param name="ids">The presets.</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithHardwareCounters(params ReadOnlySpan<PerfHardwareCounterId> ids)
    {
        PerfEventCounterSessionFactory factory = this;
        foreach (PerfHardwareCounterId id in ids)
        {
            factory = factory.WithHardwareCounter(id);
        }

        return factory;
    }

    /// <summary>Adds a generic cache event with a name such as <c>HardwareCache:L1DReadMiss</c>.</summary>
    /// <param name="cacheCounterId">The preset.</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithCacheCounter(PerfCacheCounterId cacheCounterId) =>
        With(PerfTypeId.HardwareCache, cacheCounterId, nameof(cacheCounterId));

    /// <summary>Adds an event that the kernel counts, with a name such as <c>Software:PageFaults</c>.</summary>
    /// <param name="softwareCounterId">The preset.</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithSoftwareCounter(PerfSoftwareCounterId softwareCounterId) =>
        With(PerfTypeId.Software, softwareCounterId, nameof(softwareCounterId));

    /// <summary>Adds a CPU-specific event by its event code. Its name is <c>Raw:</c> and the code in decimal.</summary>
    /// <param name="config">The code from the manual of the CPU or perfmon-events.intel.com (perf_event_attr.config of
    /// <see cref="PerfTypeId.Raw"/>).</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentException">The factory already has this counter, or it already has 64 counters.</exception>
    public PerfEventCounterSessionFactory WithRawCounter(ulong config) =>
        WithRawCounter((uint)PerfTypeId.Raw, config, FormattableString.Invariant($"{PerfTypeId.Raw}:{config}"));

    /// <summary>Adds any event by the numbers of the kernel (perf_event_open(2)).</summary>
    /// <param name="type">perf_event_attr.type: 4 for CPU-specific event codes, or the number of a PMU from
    /// <c>/sys/bus/event_source/devices/…/type</c>.</param>
    /// <param name="config">perf_event_attr.config: the event code.</param>
    /// <param name="name">The name of the counter.</param>
    /// <param name="config1">perf_event_attr.config1, for events that use it.</param>
    /// <param name="config2">perf_event_attr.config2, for events that use it.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentException">The name is empty, or the factory already has this counter, or it already has 64
    /// counters.</exception>
    public PerfEventCounterSessionFactory WithRawCounter(uint type, ulong config, string name, ulong config1 = 0, ulong config2 = 0)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return With(new PerfEventNumbers(name, new((PerfTypeId)type, config, config1, config2)), nameof(name));
    }

    /// <summary>Adds an event of a PMU in the syntax of <c>perf</c>: <c>cpu/cache-misses/</c>, <c>cpu/event=0x2e,umask=0x41/</c>,
    /// <c>power/energy-pkg/</c>. The count is in the unit of the PMU. If <c>perf</c> shows another unit, the factor is in sysfs next to the
    /// event (<c>energy-pkg.scale</c> and <c>.unit</c>); it is not applied.</summary>
    /// <remarks>PMUs outside the cores (power, uncore, msr) cannot exclude the kernel, and most of them count only whole CPUs. For these
    /// PMUs, use <c>WithKernel(true)</c>, and <see cref="WithCpu"/> with a CPU from the PMU's <c>cpumask</c> file.</remarks>
    /// <param name="pmuEvent">The name of the PMU's directory in <c>/sys/bus/event_source/devices</c>, followed by an event from its
    /// <c>events</c> directory or fields from its <c>format</c> directory between slashes. This text is also the name of the
    /// counter.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentException">The format is invalid, or the factory already has this counter, or it already has 64 counters.
    /// (<see cref="Create"/> checks whether this machine has the event.)</exception>
    public PerfEventCounterSessionFactory WithNamedCounter(string pmuEvent)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(pmuEvent);
        return With(PmuEvent(pmuEvent, nameof(pmuEvent)), nameof(pmuEvent));
    }

    private static PerfPmuEvent PmuEvent(string pmuEvent, string argument)
    {
        if (pmuEvent.Split('/') is not [var pmu, var terms, ""] || pmu.Length == 0 || pmu is "." or "..")
        {
            throw new ArgumentException($"\"{pmuEvent}\" does not have the form pmu/event/ or pmu/field=value,…/.", argument);
        }

        try
        {
            _ = PerfEventTerm.ParseList(terms);
        }
        catch (FormatException e)
        {
            throw new ArgumentException(e.Message, argument, e);
        }

        return new PerfPmuEvent(pmuEvent, pmu, terms);
    }

    /// <summary>Adds a kernel tracepoint, which counts each time it is hit.</summary>
    /// <param name="tracepoint">Category and name, as in <c>sched:sched_switch</c>. This is also the name of the counter.</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithNamedCounter" path="/exception"/>
    public PerfEventCounterSessionFactory WithTracepoint(string tracepoint)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(tracepoint);
        return With(Tracepoint(tracepoint, nameof(tracepoint)), nameof(tracepoint));
    }

    private static PerfTracepoint Tracepoint(string tracepoint, string argument)
    {
        if (tracepoint.Split(':') is not [var category, var name] || !IsFileName(category) || !IsFileName(name))
        {
            throw new ArgumentException($"\"{tracepoint}\" does not have the form category:name.", argument);
        }

        return new PerfTracepoint(tracepoint, category, name);
    }

    /// <summary>Adds events by the names that <c>perf</c> uses, separated by commas.</summary>
    /// <param name="events">Each event is one of these: <c>instructions</c>, <c>cycles</c>, <c>branch-misses</c>, <c>page-faults</c>,
    /// <c>task-clock</c> and so on; <c>L1-dcache-load-misses</c> and so on; a CPU-specific code, written as <c>r</c> and hexadecimal
    /// digits; or a name for <see cref="WithNamedCounter"/> or <see cref="WithTracepoint"/>. The counter gets the specified name. Names of
    /// the first two kinds are not case-sensitive. A modifier overrides <see cref="WithKernel"/> for an event: <c>cycles:u</c> counts user
    /// code, <c>cycles:k</c> kernel code, and <c>cycles:uk</c> both.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentException">There is no such event (the message lists the nearest names) or modifier, or the factory already
    /// has this counter, or it already has 64 counters.</exception>
    public PerfEventCounterSessionFactory WithPerfEvents(string events)
    {
        ArgumentNullException.ThrowIfNull(events);
        if (events.AsSpan().ContainsAny('{', '}'))
        {
            throw new ArgumentException("Groups such as {a,b} are not supported. List the events without braces.", nameof(events));
        }

        return PerfEventNames.Split(events).Aggregate(this, (factory, name) =>
        {
            (string plain, string? modifiers) = PerfEventNames.SplitModifiers(name);
            PerfEventSpec spec = PerfEventNames.Find(plain) is { } definition ? new PerfEventNumbers(name, definition)
                : plain.Contains('/', StringComparison.Ordinal) ? PmuEvent(plain, nameof(events))
                : plain.Contains(':', StringComparison.Ordinal) ? Tracepoint(plain, nameof(events))
                : throw new ArgumentException(PerfEventNames.Unknown(plain), nameof(events));
            return factory.With(
                spec with { Name = name, Exclusions = PerfEventNames.ExclusionsOf(name, modifiers, nameof(events)) }, nameof(events));
        });
    }

    /// <summary>Opens the counters and measures the overhead of reading them. Each counter needs a descriptor, a histogram and, if the
    /// thread counts itself, one page of memory. Takes a few hundred microseconds.</summary>
    /// <returns>The session, which the caller must dispose.</returns>
    /// <exception cref="MeasurementUnavailableException">A counter is not available (see <see cref="WithOptional"/>), or this is not Linux.
    /// The message contains the counter, the cause and the remedy.</exception>
    /// <exception cref="InvalidOperationException">No counter was added, or a counter that a method returned already belongs to another
    /// session.</exception>
    public PerfEventCounterSession Create()
    {
        if (Settings.Counters.Count == 0)
        {
            throw new InvalidOperationException("The session has no counters. Add a counter, for example with WithFixedCounters().");
        }

        List<PerfEventCounter> claimed = [];
        try
        {
            foreach (PerfEventCounter counter in Settings.Counters.Select(spec => spec.Counter).OfType<PerfEventCounter>())
            {
                if (!counter.TryClaim())
                {
                    throw new InvalidOperationException(
                        $"Counter {counter.Name} already belongs to a session. "
                        + "A factory that returned a counter can create only one session.");
                }

                claimed.Add(counter);
            }

            return OperatingSystem.IsLinux()
                ? PerfEventCounterSession.Open(Settings, PerfEventSources.System)
                : throw new MeasurementUnavailableException(PerfEventCounterSession.NotLinux, MeasurementUnavailableCause.NotSupported);
        }
        catch
        {
            claimed.ForEach(counter => counter.Release());
            throw;
        }
    }

    /// <summary>Opens the counters, but returns the exception instead of throwing it.</summary>
    /// <param name="session">The session; <see langword="null"/> on failure.</param>
    /// <param name="failure">The exception that <see cref="Create"/> would throw; <see langword="null"/> on success.</param>
    /// <returns><see langword="true"/> if the session was created; otherwise, <see langword="false"/>.</returns>
    /// <inheritdoc cref="Create" path="/exception[@cref='T:System.InvalidOperationException']"/>
    public bool TryCreate(
        [NotNullWhen(true)] out PerfEventCounterSession? session, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        (session, failure) = (null, null);
        try
        {
            session = Create();
        }
        catch (MeasurementUnavailableException e)
        {
            failure = e;
        }

        return session is not null;
    }

    private static bool IsFileName(string text) =>
        text.Length > 0 && text is not ("." or "..") && !text.Contains('/', StringComparison.Ordinal);

    private PerfEventCounterSessionFactory With<TId>(PerfTypeId type, TId id, string argument)
        where TId : struct, Enum => With(NumbersOf(type, id, argument), argument);

    private static PerfEventNumbers NumbersOf<TId>(PerfTypeId type, TId id, string argument)
        where TId : struct, Enum
    {
        int config = Convert.ToInt32(id, CultureInfo.InvariantCulture);
        ArgumentOutOfRangeException.ThrowIfNegative(config, argument);
        return new PerfEventNumbers($"{type}:{id}", new PerfEventDefinition(type, (ulong)config));
    }

    private PerfEventCounterSessionFactory With(PerfEventSpec counter, string argument)
    {
        if (Settings.Counters.Any(other => other.Name == counter.Name))
        {
            throw new ArgumentException($"The session already has counter {counter.Name}.", argument);
        }

        if (Settings.Counters.Count == PerfEventGroup.MaxCounters)
        {
            throw new ArgumentException($"A session can have at most {PerfEventGroup.MaxCounters} counters.", argument);
        }

        return new(Settings with { Counters = [.. Settings.Counters, counter] });
    }
}
