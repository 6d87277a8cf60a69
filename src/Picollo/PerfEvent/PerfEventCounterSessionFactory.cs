using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Picollo.PerfEvent;

/// <summary>What a <see cref="PerfEventCounterSession"/> is to count. Immutable: each method returns a new factory, in any order,
/// which can be stored and shared.</summary>
/// <remarks>
/// <para>Defaults: the thread that calls <see cref="Create"/>, on any CPU; user code only; enabled; not pinned; no counters.</para>
/// <para>Counters are opened as one group, which the CPU runs together and one call reads at one moment, as far as the CPU has
/// room. What does not fit begins another group; groups take turns, and their counts are scaled
/// (<see cref="PerfEventCounter.RunningShare"/>), unless <see cref="WithPinned"/> forbids it.</para>
/// </remarks>
[DebuggerDisplay("ThreadId = {Settings.ThreadId}, Cpu = {Settings.Cpu}, ProcessId = {Settings.ProcessId}")]
public sealed class PerfEventCounterSessionFactory
{
    internal PerfEventCounterSessionFactory(PerfEventSettings settings) => Settings = settings;

    internal PerfEventSettings Settings { get; }

    /// <summary>Counts one thread, on whatever CPU it runs. Replaces any other target.</summary>
    /// <param name="threadId">The system's ID of a thread of any process (<see cref="Cpu.CpuUsageReader.GetThreadId"/>), from 1. The thread
    /// that calls <see cref="Create"/> is the default.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1, or more than <see cref="int.MaxValue"/>.</exception>
    public PerfEventCounterSessionFactory WithThread(long threadId)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threadId, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(threadId, int.MaxValue);
        return WithTarget(threadId, -1);
    }

    /// <summary>Counts everything that runs on one CPU. Needs kernel.perf_event_paranoid 0 or CAP_PERFMON. Replaces any other
    /// target.</summary>
    /// <param name="cpu">The CPU's number, from 0.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Negative.</exception>
    public PerfEventCounterSessionFactory WithCpu(int cpu)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(cpu);
        return WithTarget(-1, cpu);
    }

    /// <summary>Counts one thread, on any CPU or only while it runs on one; or everything on one CPU. Replaces any other target.
    /// <see cref="WithThread"/> and <see cref="WithCpu"/> are simpler.</summary>
    /// <param name="pid">A thread's ID, as for <see cref="WithThread"/>; 0 for the thread that calls <see cref="Create"/>; or -1 for all
    /// threads, as <see cref="WithCpu"/>.</param>
    /// <param name="cpu">A CPU's number, from 0; or -1 for any.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The thread's ID is less than -1 or more than <see cref="int.MaxValue"/>; the CPU's
    /// number is less than -1, or -1 with all threads.</exception>
    public PerfEventCounterSessionFactory WithTarget(long pid, int cpu)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(pid, -1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pid, int.MaxValue);
        ArgumentOutOfRangeException.ThrowIfLessThan(cpu, pid < 0 ? 0 : -1);
        return new(Settings with { ThreadId = (int)pid, Cpu = cpu, ProcessId = null });
    }

    /// <summary>Counts all threads of a process: those it has when the session is created, and those they start later, unless
    /// <see cref="WithInherited"/> says otherwise. Takes a descriptor for each counter of each thread. Replaces any other
    /// target.</summary>
    /// <param name="processId">0 for this process; else at least 1.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Negative.</exception>
    public PerfEventCounterSessionFactory WithProcess(int processId)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(processId);
        return new(Settings with { ProcessId = processId, ThreadId = 0, Cpu = -1 });
    }

    /// <summary>Whether threads and processes that the target starts later are counted too, to their ends. Each counter is then read by a
    /// call of its own: kernels do not read inherited ones as a group.</summary>
    /// <param name="inherited">False by default; of a process (<see cref="WithProcess"/>) true.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithInherited(bool inherited) => new(Settings with { Inherited = inherited });

    /// <summary>Whether the counters must be on the CPU whenever the target runs, all or nothing.</summary>
    /// <param name="pinned">False unless this method is called: what does not fit takes turns.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithPinned(bool pinned = true) => new(Settings with { IsPinned = pinned });

    /// <summary>Whether what the kernel does for the target counts too. Software events that happen in the kernel, such as context
    /// switches, and tracepoints count in any case.</summary>
    /// <param name="withKernel">False unless this method is called; true needs kernel.perf_event_paranoid 1 or CAP_PERFMON.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithKernel(bool withKernel = true) => new(Settings with { CountsKernel = withKernel });

    /// <summary>Whether the counted thread may read its counters in user space, without a system call.</summary>
    /// <remarks>With <see langword="false"/> the kernel is asked at every read, which takes some hundreds of nanoseconds. Use it where
    /// somebody may disable such reads while sessions are open (<c>/sys/bus/event_source/devices/cpu/rdpmc</c>, or
    /// <c>kernel.perf_user_access</c>): a read in user space then ends the process with a signal, which cannot be caught.</remarks>
    /// <param name="userSpaceReads">True by default.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithUserSpaceReads(bool userSpaceReads) =>
        new(Settings with { ReadsInUserSpace = userSpaceReads });

    /// <summary>Whether counting begins with <see cref="Create"/>; else with <see cref="PerfEventCounterSession.Enable"/>.</summary>
    /// <param name="enabled">True by default.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithEnabled(bool enabled = true) => new(Settings with { IsEnabled = enabled });

    /// <summary>Whether counters that the machine lacks or this user may not have are left out and named in
    /// <see cref="PerfEventCounterSession.UnavailableCounters"/>, instead of failing <see cref="Create"/>.</summary>
    /// <param name="optional">False by default.</param>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithOptional(bool optional = true) => new(Settings with { IsOptional = optional });

    /// <summary>Instructions, core cycles and reference cycles: what Intel's CPUs count without taking a programmable counter.</summary>
    /// <returns>A new factory.</returns>
    public PerfEventCounterSessionFactory WithFixedCounters() => WithHardwareCounters(
        PerfHardwareCounterId.Instructions, PerfHardwareCounterId.CpuCycles, PerfHardwareCounterId.RefCpuCycles);

    /// <summary>The seven common hardware events: instructions, core and reference cycles, branches and their misses, cache references and
    /// misses.</summary>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithHardwareCounters() => WithFixedCounters().WithHardwareCounters(
        PerfHardwareCounterId.BranchInstructions,
        PerfHardwareCounterId.BranchMisses,
        PerfHardwareCounterId.CacheReferences,
        PerfHardwareCounterId.CacheMisses);

    /// <summary>Adds a hardware event, named <c>Hardware:Instructions</c> and so on.</summary>
    /// <param name="hardwareCounterId">One of the presets.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The preset's number is negative.</exception>
    /// <exception cref="ArgumentException">The factory already has this counter, or 64 counters.</exception>
    public PerfEventCounterSessionFactory WithHardwareCounter(PerfHardwareCounterId hardwareCounterId) =>
        With(PerfTypeId.Hardware, hardwareCounterId, nameof(hardwareCounterId));

    /// <summary>Adds a counter as <see cref="WithHardwareCounter(PerfHardwareCounterId)"/> does, and returns it at once. Such a factory,
    /// and each factory derived from it, can create one session.</summary>
    /// <param name="hardwareCounterId">One of the presets.</param>
    /// <param name="counter">The session's counter. Its values are 0 before <see cref="Create"/>, and remain 0 if the session has
    /// to omit it (<see cref="WithOptional"/>).</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithHardwareCounter(PerfHardwareCounterId hardwareCounterId, out PerfEventCounter counter) =>
        With(PerfTypeId.Hardware, hardwareCounterId, nameof(hardwareCounterId), out counter);

    /// <summary>Adds several.</summary>
    /// <param name="ids">Each as for <see cref="WithHardwareCounter(PerfHardwareCounterId)"/>.</param>
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

    /// <summary>Adds a generic cache event, named <c>HardwareCache:L1DReadMiss</c> and so on.</summary>
    /// <param name="cacheCounterId">One of the presets.</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithCacheCounter(PerfCacheCounterId cacheCounterId) =>
        With(PerfTypeId.HardwareCache, cacheCounterId, nameof(cacheCounterId));

    /// <summary>Adds a counter as <see cref="WithCacheCounter(PerfCacheCounterId)"/> does, and returns it at once. Such a factory,
    /// and each factory derived from it, can create one session.</summary>
    /// <param name="cacheCounterId">One of the presets.</param>
    /// <param name="counter">The session's counter. Its values are 0 before <see cref="Create"/>, and remain 0 if the session has
    /// to omit it (<see cref="WithOptional"/>).</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithCacheCounter(PerfCacheCounterId cacheCounterId, out PerfEventCounter counter) =>
        With(PerfTypeId.HardwareCache, cacheCounterId, nameof(cacheCounterId), out counter);

    /// <summary>Adds an event that the kernel counts, named <c>Software:PageFaults</c> and so on.</summary>
    /// <param name="softwareCounterId">One of the presets.</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithSoftwareCounter(PerfSoftwareCounterId softwareCounterId) =>
        With(PerfTypeId.Software, softwareCounterId, nameof(softwareCounterId));

    /// <summary>Adds a counter as <see cref="WithSoftwareCounter(PerfSoftwareCounterId)"/> does, and returns it at once. Such a factory,
    /// and each factory derived from it, can create one session.</summary>
    /// <param name="softwareCounterId">One of the presets.</param>
    /// <param name="counter">The session's counter. Its values are 0 before <see cref="Create"/>, and remain 0 if the session has
    /// to omit it (<see cref="WithOptional"/>).</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    public PerfEventCounterSessionFactory WithSoftwareCounter(PerfSoftwareCounterId softwareCounterId, out PerfEventCounter counter) =>
        With(PerfTypeId.Software, softwareCounterId, nameof(softwareCounterId), out counter);

    /// <summary>Adds an event of the CPU by its own event code, named <c>Raw:</c> and the code in decimal.</summary>
    /// <param name="config">The code, as the manual of the CPU or perfmon-events.intel.com lists it (perf_event_attr.config of
    /// <see cref="PerfTypeId.Raw"/>).</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentException">The factory already has this counter, or 64 counters.</exception>
    public PerfEventCounterSessionFactory WithRawCounter(ulong config) =>
        WithRawCounter((uint)PerfTypeId.Raw, config, FormattableString.Invariant($"{PerfTypeId.Raw}:{config}"));

    /// <summary>Adds any event by the kernel's numbers (perf_event_open(2)).</summary>
    /// <param name="type">perf_event_attr.type: 4 for the CPU's own event codes, or a PMU's number from
    /// <c>/sys/bus/event_source/devices/…/type</c>.</param>
    /// <param name="config">perf_event_attr.config: the event's code.</param>
    /// <param name="name">What to call it.</param>
    /// <param name="config1">perf_event_attr.config1, for events that have it.</param>
    /// <param name="config2">perf_event_attr.config2, for events that have it.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentException">The name is empty, or the factory already has this counter, or 64 counters.</exception>
    public PerfEventCounterSessionFactory WithRawCounter(uint type, ulong config, string name, ulong config1 = 0, ulong config2 = 0)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return With(new PerfEventNumbers(name, new((PerfTypeId)type, config, config1, config2)), nameof(name));
    }

    /// <summary>Adds an event by the words of its PMU, as <c>perf</c> takes it: <c>cpu/cache-misses/</c>,
    /// <c>cpu/event=0x2e,umask=0x41/</c>, <c>power/energy-pkg/</c>. The count is the PMU's own: what <c>perf</c> shows in another unit has
    /// a factor beside it (<c>energy-pkg.scale</c> and <c>.unit</c>), which is not applied.</summary>
    /// <remarks>PMUs outside of the cores (power, uncore, msr) cannot leave the kernel out, and most of them count whole CPUs only: ask
    /// <c>WithKernel(true)</c> and <see cref="WithCpu"/>, where the PMU's <c>cpumask</c> file says which.</remarks>
    /// <param name="pmuEvent">The PMU's folder in <c>/sys/bus/event_source/devices</c>, and between slashes an event of its
    /// <c>events</c> folder or fields of its <c>format</c> folder. Becomes the counter's name.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentException">Of another form, there already, or there are 64. (Whether this machine has it is found out
    /// by <see cref="Create"/>.)</exception>
    public PerfEventCounterSessionFactory WithNamedCounter(string pmuEvent)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(pmuEvent);
        if (pmuEvent.Split('/') is not [var pmu, var terms, ""] || pmu.Length == 0 || pmu is "." or "..")
        {
            throw new ArgumentException($"\"{pmuEvent}\" is not of the form pmu/event/ or pmu/field=value,…/.", nameof(pmuEvent));
        }

        try
        {
            _ = PerfEventTerm.ParseList(terms);
        }
        catch (FormatException e)
        {
            throw new ArgumentException(e.Message, nameof(pmuEvent), e);
        }

        return With(new PerfPmuEvent(pmuEvent, pmu, terms), nameof(pmuEvent));
    }

    /// <summary>Adds a tracepoint of the kernel, which counts each time it is passed.</summary>
    /// <param name="tracepoint">Category and name, as in <c>sched:sched_switch</c>. Becomes the counter's name.</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithNamedCounter" path="/exception"/>
    public PerfEventCounterSessionFactory WithTracepoint(string tracepoint)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(tracepoint);
        if (tracepoint.Split(':') is not [var category, var name] || !IsFileName(category) || !IsFileName(name))
        {
            throw new ArgumentException($"\"{tracepoint}\" is not of the form category:name.", nameof(tracepoint));
        }

        return With(new PerfTracepoint(tracepoint, category, name), nameof(tracepoint));
    }

    /// <summary>Adds events by the names that <c>perf</c> has for them, several with commas between.</summary>
    /// <param name="events">
    /// Each one of <c>instructions</c>, <c>cycles</c>, <c>branch-misses</c>, <c>page-faults</c>, <c>task-clock</c> and so on;
    /// <c>L1-dcache-load-misses</c> and so on; <c>r</c> and hexadecimal digits, the CPU's own code; what <see cref="WithNamedCounter"/> or
    /// <see cref="WithTracepoint"/> takes. The name as it is given becomes the counter's. Letter case does not matter in the first two.
    /// </param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentException">There is no such event (the message names those of the nearest names), or it is there already,
    /// or there are 64.</exception>
    public PerfEventCounterSessionFactory WithPerfEvents(string events)
    {
        ArgumentNullException.ThrowIfNull(events);
        return PerfEventNames.Split(events).Aggregate(this, (factory, name) => PerfEventNames.Find(name) switch
        {
            { } definition => factory.With(new PerfEventNumbers(name, definition), nameof(events)),
            null when name.Contains('/', StringComparison.Ordinal) => factory.WithNamedCounter(name),
            null when name.Contains(':', StringComparison.Ordinal) => factory.WithTracepoint(name),
            null => throw new ArgumentException(PerfEventNames.Unknown(name), nameof(events)),
        });
    }

    /// <summary>Opens the counters: a descriptor, one page of memory where this thread counts itself, and a histogram each; and
    /// finds out what reading them counts. Some hundreds of microseconds.</summary>
    /// <returns>The session, to be disposed.</returns>
    /// <exception cref="MeasurementUnavailableException">A counter is not available (see <see cref="WithOptional"/>), or this is not
    /// Linux. The message names the counter, the cause and the remedy.</exception>
    /// <exception cref="InvalidOperationException">No counter was named; or one that a method handed out belongs to another session
    /// already.</exception>
    public PerfEventCounterSession Create()
    {
        if (Settings.Counters.Count == 0)
        {
            throw new InvalidOperationException("The session has no counters: name a counter, for example with WithFixedCounters().");
        }

        List<PerfEventCounter> claimed = [];
        try
        {
            foreach (PerfEventCounter counter in Settings.Counters.Select(spec => spec.Counter).OfType<PerfEventCounter>())
            {
                if (!counter.TryClaim())
                {
                    throw new InvalidOperationException(
                        $"Counter {counter.Name} already belongs to a session. A factory that returned a counter can create only one.");
                }

                claimed.Add(counter);
            }

            return OperatingSystem.IsLinux()
                ? PerfEventCounterSession.Open(Settings, PerfEventSources.System)
                : throw new MeasurementUnavailableException(PerfEventCounterSession.NotLinux);
        }
        catch
        {
            claimed.ForEach(counter => counter.Release());
            throw;
        }
    }

    /// <summary>Opens the counters, or says why that cannot be.</summary>
    /// <param name="session">Null if it cannot be.</param>
    /// <param name="reason">The message that <see cref="Create"/>'s exception would have; null on success.</param>
    /// <returns>Whether there is a session.</returns>
    /// <inheritdoc cref="Create" path="/exception[@cref='T:System.InvalidOperationException']"/>
    public bool TryCreate([NotNullWhen(true)] out PerfEventCounterSession? session, [NotNullWhen(false)] out string? reason)
    {
        (session, reason) = (null, null);
        try
        {
            session = Create();
        }
        catch (MeasurementUnavailableException e)
        {
            reason = e.Message;
        }

        return session is not null;
    }

    private static bool IsFileName(string text) =>
        text.Length > 0 && text is not ("." or "..") && !text.Contains('/', StringComparison.Ordinal);

    private PerfEventCounterSessionFactory With<TId>(PerfTypeId type, TId id, string argument)
        where TId : struct, Enum => With(NumbersOf(type, id, argument), argument);

    private PerfEventCounterSessionFactory With<TId>(PerfTypeId type, TId id, string argument, out PerfEventCounter counter)
        where TId : struct, Enum
    {
        PerfEventNumbers numbers = NumbersOf(type, id, argument);
        counter = new PerfEventCounter(numbers.Name, numbers.Definition);
        return With(numbers with { Counter = counter }, argument);
    }

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
            throw new ArgumentException($"A session has {PerfEventGroup.MaxCounters} counters at most.", argument);
        }

        return new(Settings with { Counters = [.. Settings.Counters, counter] });
    }
}
