using System.Collections.ObjectModel;
using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.PerfEvent;

/// <summary>Opens the counters of a session on all its threads. If one cannot be opened, closes all of them.</summary>
internal sealed class PerfEventOpener(PerfEventSettings settings, PerfEventSources sources)
{
    /// <summary>The PMU of arm64: 64-bit counting, and reading in user space (drivers/perf/arm_pmuv3.c).</summary>
    private const ulong ArmLongCounter = 1, ArmUserAccess = 2;

    private readonly List<PerfEventGroup> _groups = [];
    private readonly List<PerfEventCounter> _counters = [];
    private readonly Dictionary<string, MeasurementUnavailableException> _unavailable = [];
    private PerfMachine? _machine;

    /// <exception cref="MeasurementUnavailableException">A counter that is not optional is unavailable.</exception>
    public (List<PerfEventGroup> Groups, List<PerfEventCounter> Counters, IReadOnlyDictionary<string, MeasurementUnavailableException>
        Unavailable) Open()
    {
        try
        {
            List<(PerfEventSpec Spec, PerfEventDefinition Definition)> resolved = Resolve();
            List<int> threads = Threads();
            int first = OpenOnFirst(threads, resolved);
            foreach (int thread in threads.Skip(first + 1))
            {
                OpenOnAnother(thread, resolved);
            }

            return (_groups, _counters, UnavailableInOrder());
        }
        catch
        {
            _groups.ForEach(group => group.Dispose());
            throw;
        }
    }

    // Unresolved counters come first in _unavailable, before those that the kernel refused.
    private ReadOnlyDictionary<string, MeasurementUnavailableException> UnavailableInOrder() =>
        new(new OrderedDictionary<string, MeasurementUnavailableException>(settings.Counters
            .Where(spec => _unavailable.ContainsKey(spec.Name))
            .Select(spec => KeyValuePair.Create(spec.Name, _unavailable[spec.Name]))));

    private List<(PerfEventSpec Spec, PerfEventDefinition Definition)> Resolve()
    {
        var resolved = new List<(PerfEventSpec, PerfEventDefinition)>();
        foreach (PerfEventSpec spec in settings.Counters)
        {
            try
            {
                resolved.Add((spec, spec.Resolve(sources) with { Exclusions = spec.Exclusions }));
            }
            catch (MeasurementUnavailableException e) when (settings.IsOptional)
            {
                _unavailable.Add(spec.Name, e);
            }
        }

        return resolved;
    }

    /// <summary>Lists the threads of a process once. A thread that starts while they are opened may be missed, as with
    /// <c>perf</c>.</summary>
    private List<int> Threads() => settings.ProcessId is not { } process ? [settings.ThreadId]
        : ThreadsOf(process == 0 ? Environment.ProcessId : process);

    /// <summary>Returns the threads of a process, its main thread first.</summary>
    /// <exception cref="MeasurementUnavailableException">There is no such process, or its threads cannot be listed.</exception>
    internal static List<int> ThreadsOf(int process)
    {
        try
        {
            List<int> threads = [.. Directory.EnumerateDirectories($"/proc/{process}/task")
                .Select(path => int.Parse(Path.GetFileName(path), CultureInfo.InvariantCulture))];
            return threads.Count > 0 ? threads : throw Ended(process); // a process that exits while its threads are listed has none
        }
        catch (Exception e) when (e is DirectoryNotFoundException or UnauthorizedAccessException)
        {
            throw LinuxReasons.NotFound(process);
        }
        catch (IOException e)
        {
            // On Unix the HResult is the error number of the system.
            string remedy = e.HResult == Errno.EMFILE ? "; raise the limit of open files (ulimit -n)" : "";
            throw new MeasurementUnavailableException(
                $"The threads of process {process} cannot be listed: {e.Message}{remedy}", LinuxReasons.CauseOf(e.HResult), e.HResult, e);
        }
    }

    internal static MeasurementUnavailableException Ended(int process) => CpuTimeReasons.ProcessEnded(process, Errno.ESRCH);

    /// <summary>Opens the counters on the first thread that has not ended, and returns its index. The main thread of a process may end
    /// before the others, and remains in the list.</summary>
    private int OpenOnFirst(List<int> threads, List<(PerfEventSpec Spec, PerfEventDefinition Definition)> resolved)
    {
        for (int i = 0; ; i++)
        {
            if (TryOpenOn(threads[i], isLast: i + 1 == threads.Count, resolved))
            {
                return i;
            }

            _groups.ForEach(group => group.Dispose());
            _groups.Clear();
            _counters.Clear();
        }
    }

    /// <summary>Opens the counters on a thread. Returns false if the thread has ended and is not the last one to try.</summary>
    private bool TryOpenOn(int thread, bool isLast, List<(PerfEventSpec Spec, PerfEventDefinition Definition)> resolved)
    {
        PerfEventGroup? group = null;
        foreach (var (spec, definition) in resolved.ToList())
        {
            if (TryAdd(thread, spec, definition, _counters.Count, ref group, out int error))
            {
                _counters.Add(spec.Counter ?? new PerfEventCounter(spec.Name, definition));
                continue;
            }

            if (error == Errno.ESRCH && !isLast)
            {
                return false;
            }

            MeasurementUnavailableException failure = Describe(error, thread, spec, definition);
            if (!settings.IsOptional || error is Errno.EMFILE or Errno.ENFILE or Errno.ESRCH)
            {
                throw failure;
            }

            resolved.Remove((spec, definition));
            _unavailable.Add(spec.Name, failure);
        }

        return true;
    }

    /// <summary>Opens the same counters on another thread. A thread that has ended in the meantime is skipped.</summary>
    private void OpenOnAnother(int thread, List<(PerfEventSpec Spec, PerfEventDefinition Definition)> resolved)
    {
        PerfEventGroup? group = null;
        for (int i = 0; i < resolved.Count; i++)
        {
            var (spec, definition) = resolved[i];
            if (!TryAdd(thread, spec, definition, i, ref group, out int error) && error != Errno.ESRCH)
            {
                throw Describe(error, thread, spec, definition);
            }
        }
    }

    /// <summary>Opens one counter in the current group, or in a new one if it does not fit.</summary>
    private bool TryAdd(
        int thread, PerfEventSpec spec, PerfEventDefinition definition, int counter, ref PerfEventGroup? group, out int error)
    {
        PerfEventGroup? joined = settings.IsInherited || definition.IsClock ? null : group;
        PerfEventFile? file = TryOpen(thread, definition, joined?.Leader, out error);
        if (file is null && error == Errno.EINVAL && joined is not null && !settings.IsPinned)
        {
            joined = null;
            file = TryOpen(thread, definition, null, out error);
        }

        if (file is null)
        {
            return false;
        }

        if (joined is null)
        {
            joined = new PerfEventGroup(isGroup: !settings.IsInherited, settings.PromptReader);
            _groups.Add(joined);
        }

        joined.Add(file, counter);
        group = definition.IsClock ? group : joined;
        if (settings is { IsOwnThread: true, IsInherited: false })
        {
            file.Map();
        }

        return true;
    }

    private PerfEventFile? TryOpen(int thread, PerfEventDefinition definition, PerfEventFile? leader, out int error)
    {
        PerfEventAttributes attributes = Attributes(settings, definition, isLeader: leader is null);
        if (RuntimeInformation.ProcessArchitecture != Architecture.Arm64
            || !definition.NeedsPmu
            || !settings.IsOwnThread
            || settings.IsInherited)
        {
            return PerfEventFile.TryOpen(attributes, thread, settings.Cpu, leader, out error);
        }

        // The best that the CPU and the kernel support: user access with 64 bits, with 32 bits, no user access.
        ulong[] choices = [ArmUserAccess | ArmLongCounter, ArmUserAccess, 0];
        PerfEventFile? file = null;
        error = 0;
        for (int i = 0; i < choices.Length && file is null && (i == 0 || error is Errno.EOPNOTSUPP or Errno.EINVAL); i++)
        {
            attributes.Config1 = definition.Config1 | choices[i];
            file = PerfEventFile.TryOpen(attributes, thread, settings.Cpu, leader, out error);
        }

        return file;
    }

    internal static PerfEventAttributes Attributes(PerfEventSettings settings, PerfEventDefinition definition, bool isLeader)
    {
        PerfEventFlags flags = Exclusions(settings, definition);
        flags |= settings.IsInherited ? PerfEventFlags.Inherit : PerfEventFlags.None;

        // Only for the group's leader; the members follow it.
        if (isLeader)
        {
            flags |= settings.IsPinned ? PerfEventFlags.Pinned : PerfEventFlags.None;
            flags |= settings.IsEnabled ? PerfEventFlags.None : PerfEventFlags.Disabled;
            flags |= settings.StartsOnExec ? PerfEventFlags.EnableOnExec : PerfEventFlags.None;
        }

        return new PerfEventAttributes(definition, flags)
        {
            ReadFormat = PerfReadFormat.TotalTimeEnabled | PerfReadFormat.TotalTimeRunning
                | (settings.IsInherited ? 0 : PerfReadFormat.Group),
        };
    }

    private static PerfEventFlags Exclusions(PerfEventSettings settings, PerfEventDefinition definition) =>
        definition.Exclusions
        ?? (settings.CountsKernel || definition.HappensInKernel
            ? PerfEventFlags.None
            : PerfEventFlags.ExcludeKernel | PerfEventFlags.ExcludeHypervisor);

    private static bool CountsKernel(PerfEventSettings settings, PerfEventDefinition definition) =>
        (Exclusions(settings, definition) & PerfEventFlags.ExcludeKernel) == 0;

    private MeasurementUnavailableException Describe(int error, int thread, PerfEventSpec spec, PerfEventDefinition definition) =>
        PerfEventReasons.Describe(
            new PerfEventRequest(spec.Name, definition, CountsKernel(settings, definition), settings.IsPinned, thread, settings.Cpu),
            error,
            _machine ??= PerfMachine.Read());
}
