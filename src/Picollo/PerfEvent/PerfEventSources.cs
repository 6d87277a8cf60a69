using Picollo.Cpu.Linux;

namespace Picollo.PerfEvent;

/// <summary>The kernel's descriptions of its events: the PMUs in sysfs and the tracepoints in tracefs.</summary>
/// <param name="devices">The path /sys/bus/event_source/devices.</param>
/// <param name="tracing">The possible mount points of tracefs, in order.</param>
internal sealed class PerfEventSources(string devices, IReadOnlyList<string> tracing)
{
    public static readonly PerfEventSources System =
        new("/sys/bus/event_source/devices", ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"]);

    /// <summary>Terms that every PMU accepts in addition to those in its format directory.</summary>
    private static readonly Dictionary<string, string> CommonFormats = new()
    {
        ["config"] = "config:0-63",
        ["config1"] = "config1:0-63",
        ["config2"] = "config2:0-63",
    };

    public PerfEventDefinition ResolvePmuEvent(PerfPmuEvent spec)
    {
        string pmu = Path.Combine(devices, spec.Pmu);
        if (!Directory.Exists(pmu))
        {
            string known = Directory.Exists(devices)
                ? string.Join(", ", Directory.EnumerateFileSystemEntries(devices).Select(Path.GetFileName).Order(StringComparer.Ordinal))
                : "none, because sysfs is not mounted";
            throw Error(spec, $"this machine has no PMU named \"{spec.Pmu}\" (PMUs in {devices}: {known}); "
                + "in a virtual machine, \"cpu\" exists only if the hypervisor exposes a virtual PMU");
        }

        if (!uint.TryParse(ReadText(spec, Path.Combine(pmu, "type")), CultureInfo.InvariantCulture, out uint type))
        {
            throw Error(spec, $"{pmu}/type does not contain a number");
        }

        var definition = new PerfEventDefinition((PerfTypeId)type, 0);
        foreach (PerfEventTerm term in PerfEventTerm.ParseList(spec.Terms))
        {
            definition = Apply(spec, pmu, term, definition, mayBeEvent: true);
        }

        return definition;
    }

    public PerfEventDefinition ResolveTracepoint(PerfTracepoint spec)
    {
        string? root = tracing.FirstOrDefault(folder => Directory.Exists(Path.Combine(folder, "events")));
        if (root is null)
        {
            throw Error(spec, $"tracefs is not mounted at {string.Join(" or ", tracing)}, or this user may not read it; "
                + $"{LinuxRights.Read().MountTracing}{Readable("/sys/kernel/tracing")}", MeasurementUnavailableCause.Unknown);
        }

        string id = Path.Combine(root, "events", spec.Category, spec.Event, "id");
        if (!File.Exists(id))
        {
            // Root can read it without any capability.
            throw LinuxRights.Read() is { IsRoot: true, IsInUserNamespace: false }
                ? Error(spec, $"the kernel has no such tracepoint ({id})")
                : Error(spec, $"the kernel has no such tracepoint, or this user may not read it ({id}); run as root{Readable(root)}",
                    MeasurementUnavailableCause.Unknown);
        }

        return ulong.TryParse(ReadText(spec, id), CultureInfo.InvariantCulture, out ulong config)
            ? new PerfEventDefinition(PerfTypeId.Tracepoint, config)
            : throw Error(spec, $"{id} does not contain a number");
    }

    // With mode=755, only the root directory becomes readable; since Linux 5.16, its contents do not.
    private static string Readable(string root) =>
        $"; to permit other users, assign it to one of their groups with `mount -o remount,mode=750,gid=… {root}`";

    /// <summary>Applies a term: a field of the PMU's format, or an event that consists of fields.</summary>
    private static PerfEventDefinition Apply(
        PerfPmuEvent spec, string pmu, PerfEventTerm term, PerfEventDefinition definition, bool mayBeEvent)
    {
        string format = Path.Combine(pmu, "format", term.Name);
        if (CommonFormats.TryGetValue(term.Name, out string? layout)
            || (File.Exists(format) && (layout = ReadText(spec, format)) is not null))
        {
            return PerfEventFormat.Parse(layout) is { } fields && fields.TrySet(ref definition, term.Value ?? 1)
                ? definition
                : throw Error(spec, $"the value of \"{term.Name}\" does not fit into its field ({layout.Trim()}), "
                    + "or the format of the field is unknown");
        }

        string named = Path.Combine(pmu, "events", term.Name);
        if (!mayBeEvent || term.Value is not null || !File.Exists(named))
        {
            throw Error(spec, $"{spec.Pmu} has neither a field nor an event \"{term.Name}\"; see {pmu}/format and {pmu}/events");
        }

        foreach (PerfEventTerm part in ParseEvent(spec, named))
        {
            definition = Apply(spec, pmu, part, definition, mayBeEvent: false);
        }

        return definition;
    }

    private static IEnumerable<PerfEventTerm> ParseEvent(PerfPmuEvent spec, string path)
    {
        try
        {
            return PerfEventTerm.ParseList(ReadText(spec, path).Trim());
        }
        catch (FormatException e)
        {
            throw Error(spec, $"{path} cannot be parsed: {e.Message}", inner: e);
        }
    }

    private static string ReadText(PerfEventSpec spec, string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // On Unix the HResult is the error number of the system, except for errors that have an exception type.
            MeasurementUnavailableCause cause = e is UnauthorizedAccessException
                ? MeasurementUnavailableCause.PermissionDenied
                : LinuxReasons.CauseOf(e.HResult);
            throw Error(spec, $"{path} cannot be read: {e.Message}", cause, e.HResult > 0 ? e.HResult : null, e);
        }
    }

    private static MeasurementUnavailableException Error(
        PerfEventSpec spec,
        string message,
        MeasurementUnavailableCause cause = MeasurementUnavailableCause.NotSupported,
        int? errorNumber = null,
        Exception? inner = null) => new($"{spec.Name}: {message}", cause, errorNumber, inner);
}
