namespace Picollo.PerfEvent;

/// <summary>Where the kernel describes its events: the PMUs in sysfs and the tracepoints in tracefs.</summary>
/// <param name="devices">/sys/bus/event_source/devices.</param>
/// <param name="tracing">Where tracefs is looked for, in order.</param>
internal sealed class PerfEventSources(string devices, IReadOnlyList<string> tracing)
{
    public static readonly PerfEventSources System =
        new("/sys/bus/event_source/devices", ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"]);

    /// <summary>Terms that every PMU takes besides those in its format folder.</summary>
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
                : "none: sysfs is not mounted";
            throw Error(spec, $"this machine has no PMU named \"{spec.Pmu}\" (those in {devices}: {known}); "
                + "a virtual machine exposes \"cpu\" only if its hypervisor is told to");
        }

        if (!uint.TryParse(ReadText(spec, Path.Combine(pmu, "type")), CultureInfo.InvariantCulture, out uint type))
        {
            throw Error(spec, $"{pmu}/type holds no number");
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
            throw Error(spec, $"tracefs cannot be seen at {string.Join(" or ", tracing)}, or not by this user; "
                + $"mount it as root (mount -t tracefs tracefs /sys/kernel/tracing){Readable("/sys/kernel/tracing")}");
        }

        string id = Path.Combine(root, "events", spec.Category, spec.Event, "id");
        if (!File.Exists(id))
        {
            throw Error(spec, $"the kernel has no such tracepoint, or this user may not see it ({id}); run as root{Readable(root)}");
        }

        return ulong.TryParse(ReadText(spec, id), CultureInfo.InvariantCulture, out ulong config)
            ? new PerfEventDefinition(PerfTypeId.Tracepoint, config)
            : throw Error(spec, $"{id} holds no number");
    }

    // By mode=755 the root folder alone becomes readable; since Linux 5.16 what is in it is not.
    private static string Readable(string root) =>
        $"; for other users, give it to a group of theirs (mount -o remount,mode=750,gid=… {root})";

    /// <summary>A term is a field of the PMU's format, or an event that stands for some, which in turn hold no event.</summary>
    private static PerfEventDefinition Apply(
        PerfPmuEvent spec, string pmu, PerfEventTerm term, PerfEventDefinition definition, bool mayBeEvent)
    {
        string format = Path.Combine(pmu, "format", term.Name);
        if (CommonFormats.TryGetValue(term.Name, out string? layout)
            || (File.Exists(format) && (layout = ReadText(spec, format)) is not null))
        {
            return PerfEventFormat.Parse(layout) is { } fields && fields.TrySet(ref definition, term.Value ?? 1)
                ? definition
                : throw Error(spec, $"the value of \"{term.Name}\" does not fit its field ({layout.Trim()}), "
                    + "or the field is of a form not known here");
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
            throw Error(spec, $"{path} is not understood: {e.Message}");
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
            throw Error(spec, $"{path} cannot be read: {e.Message}");
        }
    }

    private static MeasurementUnavailableException Error(PerfEventSpec spec, string message) => new($"{spec.Name}: {message}");
}
