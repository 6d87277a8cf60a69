using System.Buffers;

namespace Picollo.PerfEvent;

/// <summary>The names of the kernel's events in <c>perf</c> (tools/perf/util/parse-events.c, and <c>perf list</c>).</summary>
internal static class PerfEventNames
{
    private const int SuggestionCount = 3;

    /// <summary>All modifiers of perf, of which <see cref="ExclusionsOf"/> supports two.</summary>
    private static readonly SearchValues<char> Modifiers = SearchValues.Create("ukhIGHpPSDWeb");

    private static readonly Dictionary<string, PerfEventDefinition> Known = MakeKnown();

    /// <summary>Finds an event by name. Null for other names: a PMU event (with slashes), a tracepoint (with a colon), or an unknown
    /// name.</summary>
    public static PerfEventDefinition? Find(string name) =>
        Known.TryGetValue(name, out PerfEventDefinition known) ? known
        : name is ['r' or 'R', .. { Length: > 0 and <= 16 } code]
            && ulong.TryParse(code, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong config)
            ? new PerfEventDefinition(PerfTypeId.Raw, config)
        : null;

    /// <summary>Splits a list at commas, except between slashes: <c>cycles,cpu/event=0x2e,umask=0x41/</c>.</summary>
    public static IEnumerable<string> Split(string events)
    {
        bool isInside = false;
        int start = 0;
        for (int i = 0; i <= events.Length; i++)
        {
            if (i == events.Length || (events[i] == ',' && !isInside))
            {
                yield return events[start..i].Trim();
                start = i + 1;
            }
            else if (events[i] == '/')
            {
                isInside = !isInside;
            }
        }
    }

    /// <summary>Separates an event from its modifiers, which follow a colon or the last slash: <c>cycles:u</c>, <c>cpu/event=1/k</c>,
    /// <c>sched:sched_switch:u</c>. The modifiers are null if there are none.</summary>
    public static (string Event, string? Modifiers) SplitModifiers(string name)
    {
        int slash = name.LastIndexOf('/');
        int colon = name.LastIndexOf(':');
        return slash > name.IndexOf('/', StringComparison.Ordinal)
                ? (name[..(slash + 1)], name[(slash + 1)..] is { Length: > 0 } rest ? rest[(rest[0] == ':' ? 1 : 0)..] : null)
            : slash < 0 && colon >= 0 && (IsModified(name[..colon]) || !name.AsSpan(colon + 1).ContainsAnyExcept(Modifiers))
                ? (name[..colon], name[(colon + 1)..])
            : (name, null);

        // A name with a colon is a tracepoint otherwise. The name of no tracepoint consists of modifiers only.
        static bool IsModified(string name) => Find(name) is not null || name.Contains(':', StringComparison.Ordinal);
    }

    /// <summary>Returns the code that modifiers exclude; null without modifiers.</summary>
    /// <exception cref="ArgumentException">A modifier is not supported or duplicated.</exception>
    public static PerfEventFlags? ExclusionsOf(string name, string? modifiers, string argument)
    {
        if (modifiers is null)
        {
            return null;
        }

        PerfEventFlags excluded = PerfEventFlags.ExcludeUser | PerfEventFlags.ExcludeKernel | PerfEventFlags.ExcludeHypervisor;
        foreach (char modifier in modifiers)
        {
            PerfEventFlags included = modifier switch
            {
                'u' => PerfEventFlags.ExcludeUser,
                'k' => PerfEventFlags.ExcludeKernel,
                _ => throw Invalid($"{modifier}", "not supported"),
            };
            excluded = (excluded & included) != 0 ? excluded & ~included : throw Invalid($"{modifier}", "duplicated");
        }

        return modifiers.Length > 0 ? excluded : throw Invalid("", "not supported");

        ArgumentException Invalid(string modifier, string problem) => new(
            $"The modifier \"{modifier}\" in \"{name}\" is {problem}. Use u for user code, k for kernel code, or uk for both.", argument);
    }

    public static string Unknown(string name) =>
        $"There is no event \"{name}\". Similar names: {string.Join(", ", Nearest(name))}. "
        + "Other events have the form rNUMBER (hexadecimal), pmu/event/ or category:tracepoint.";

    public static IEnumerable<string> Nearest(string name) => Known.Keys
        .Order(StringComparer.Ordinal)
        .OrderBy(known => Distance(name.ToUpperInvariant(), known.ToUpperInvariant()))
        .Take(SuggestionCount);

    /// <summary>Returns the number of characters to add, remove or change (Levenshtein). Characters missing at the end count a quarter,
    /// because users often abbreviate names.</summary>
    private static double Distance(string typed, string known)
    {
        double[] row = [.. Enumerable.Range(0, known.Length + 1).Select(i => i * 1.0)];
        for (int i = 1; i <= typed.Length; i++)
        {
            double diagonal = row[0];
            row[0] = i;
            for (int k = 1; k <= known.Length; k++)
            {
                double added = row[k - 1] + (i == typed.Length ? 0.25 : 1);
                double changed = diagonal + (typed[i - 1] == known[k - 1] ? 0 : 1);
                diagonal = row[k];
                row[k] = Math.Min(Math.Min(row[k] + 1, added), changed);
            }
        }

        return row[^1];
    }

    private static Dictionary<string, PerfEventDefinition> MakeKnown()
    {
        Dictionary<string, PerfEventDefinition> known = new(StringComparer.OrdinalIgnoreCase);
        void Hardware(PerfHardwareCounterId id, params ReadOnlySpan<string> names) => Add(PerfTypeId.Hardware, (ulong)id, names);
        void Software(PerfSoftwareCounterId id, params ReadOnlySpan<string> names) => Add(PerfTypeId.Software, (ulong)id, names);
        void Add(PerfTypeId type, ulong config, ReadOnlySpan<string> names)
        {
            foreach (string name in names)
            {
                known.Add(name, new PerfEventDefinition(type, config));
            }
        }

        Hardware(PerfHardwareCounterId.CpuCycles, "cycles", "cpu-cycles");
        Hardware(PerfHardwareCounterId.Instructions, "instructions");
        Hardware(PerfHardwareCounterId.CacheReferences, "cache-references");
        Hardware(PerfHardwareCounterId.CacheMisses, "cache-misses");
        Hardware(PerfHardwareCounterId.BranchInstructions, "branches", "branch-instructions");
        Hardware(PerfHardwareCounterId.BranchMisses, "branch-misses");
        Hardware(PerfHardwareCounterId.BusCycles, "bus-cycles");
        Hardware(PerfHardwareCounterId.StalledCyclesFrontend, "stalled-cycles-frontend", "idle-cycles-frontend");
        Hardware(PerfHardwareCounterId.StalledCyclesBackend, "stalled-cycles-backend", "idle-cycles-backend");
        Hardware(PerfHardwareCounterId.RefCpuCycles, "ref-cycles");

        Software(PerfSoftwareCounterId.CpuClock, "cpu-clock");
        Software(PerfSoftwareCounterId.TaskClock, "task-clock");
        Software(PerfSoftwareCounterId.PageFaults, "page-faults", "faults");
        Software(PerfSoftwareCounterId.ContextSwitches, "context-switches", "cs");
        Software(PerfSoftwareCounterId.CpuMigrations, "cpu-migrations", "migrations");
        Software(PerfSoftwareCounterId.MinorPageFaults, "minor-faults");
        Software(PerfSoftwareCounterId.MajorPageFaults, "major-faults");
        Software(PerfSoftwareCounterId.AlignmentFaults, "alignment-faults");
        Software(PerfSoftwareCounterId.EmulationFaults, "emulation-faults");
        Software(PerfSoftwareCounterId.BpfOutput, "bpf-output");
        Software(PerfSoftwareCounterId.CgroupSwitches, "cgroup-switches");

        // The order of the kernel: cache, operation << 8, result << 16 (perf_event_open(2)).
        string[] caches = ["L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"];
        string[] operations = ["load", "store", "prefetch"];
        for (int cache = 0; cache < caches.Length; cache++)
        {
            for (int operation = 0; operation < operations.Length; operation++)
            {
                string name = $"{caches[cache]}-{operations[operation]}";
                ulong config = (ulong)(cache | (operation << 8));
                Add(PerfTypeId.HardwareCache, config, [name + (operation == 2 ? "es" : "s")]);
                Add(PerfTypeId.HardwareCache, config | (1 << 16), [name + "-misses"]);
            }
        }

        return known;
    }
}
