namespace Picollo.PerfEvent;

/// <summary>A requested counter. <see cref="Resolve"/> finds its definition in the kernel.</summary>
internal abstract record PerfEventSpec(string Name)
{
    /// <summary>The counter that the factory returned for it; null if <see cref="PerfEventOpener"/> creates it.</summary>
    public PerfEventCounter? Counter { get; init; }

    /// <summary>The code that a modifier of the event excludes (ExcludeUser, ExcludeKernel, ExcludeHypervisor); null for the setting of the
    /// session.</summary>
    public PerfEventFlags? Exclusions { get; init; }

    /// <summary>Returns the kernel's numbers for the event on this machine.</summary>
    /// <exception cref="MeasurementUnavailableException">This machine has no such event, or its description cannot be read.</exception>
    public abstract PerfEventDefinition Resolve(PerfEventSources sources);
}

/// <summary>An event by the kernel's numbers.</summary>
internal sealed record PerfEventNumbers(string Name, PerfEventDefinition Definition) : PerfEventSpec(Name)
{
    public override PerfEventDefinition Resolve(PerfEventSources sources) => Definition;
}

/// <summary>An event in the syntax of a PMU, <c>pmu/event/</c> or <c>pmu/term=value,…/</c>.</summary>
internal sealed record PerfPmuEvent(string Name, string Pmu, string Terms) : PerfEventSpec(Name)
{
    public override PerfEventDefinition Resolve(PerfEventSources sources) => sources.ResolvePmuEvent(this);
}

/// <summary>A tracepoint, <c>category:name</c>.</summary>
internal sealed record PerfTracepoint(string Name, string Category, string Event) : PerfEventSpec(Name)
{
    public override PerfEventDefinition Resolve(PerfEventSources sources) => sources.ResolveTracepoint(this);
}

/// <summary>The kernel's numbers of an event, which are the fields of perf_event_attr with the same names, and its properties.</summary>
internal readonly record struct PerfEventDefinition(PerfTypeId Type, ulong Config, ulong Config1 = 0, ulong Config2 = 0)
{
    /// <inheritdoc cref="PerfEventSpec.Exclusions"/>
    public PerfEventFlags? Exclusions { get; init; }

    public bool NeedsPmu => Type is not (PerfTypeId.Software or PerfTypeId.Tracepoint);

    /// <summary>Whether the kernel assigned its type to a PMU (numbers from PERF_TYPE_MAX, 6) that is listed in sysfs.</summary>
    public bool IsOfListedPmu => Type > PerfTypeId.Breakpoint;

    /// <summary>Whether it is one of the kernel's two clocks, which are read in a separate group. In a group with another leader, they did
    /// not advance in most sessions (27 of 40 with page faults before the task clock, none with the task clock first or alone; Linux 6.18,
    /// 2026-11-21).</summary>
    public bool IsClock => Type == PerfTypeId.Software
        && (PerfSoftwareCounterId)Config is (PerfSoftwareCounterId.CpuClock or PerfSoftwareCounterId.TaskClock);

    /// <summary>Whether the event happens only in the kernel. If kernel events were excluded, the counter would count nothing, so
    /// <c>WithKernel(false)</c> does not apply to it.</summary>
    public bool HappensInKernel => Type == PerfTypeId.Tracepoint
        || (Type == PerfTypeId.Software && (PerfSoftwareCounterId)Config is (PerfSoftwareCounterId.ContextSwitches
            or PerfSoftwareCounterId.CpuMigrations or PerfSoftwareCounterId.CgroupSwitches or PerfSoftwareCounterId.BpfOutput));
}

/// <summary>One term of an event in the syntax of sysfs and <c>perf</c>: <c>umask=0x3</c>, or only a name.</summary>
internal readonly record struct PerfEventTerm(string Name, ulong? Value)
{
    /// <summary>Parses terms that are separated by commas.</summary>
    /// <exception cref="FormatException">A term has no name, or a value that is not a number.</exception>
    public static IEnumerable<PerfEventTerm> ParseList(string text) =>
        [.. text.Split(',', StringSplitOptions.TrimEntries).Select(Parse)];

    private static PerfEventTerm Parse(string text)
    {
        string[] parts = text.Split('=', 2, StringSplitOptions.TrimEntries);
        if (parts[0].Length == 0 || parts[0].AsSpan().ContainsAny("/.") || parts[0] == "..")
        {
            throw new FormatException($"\"{text}\" is not a term of an event. Use a name, or name=value.");
        }

        return parts.Length == 1 ? new PerfEventTerm(parts[0], null)
            : TryParseNumber(parts[1], out ulong value) ? new PerfEventTerm(parts[0], value)
            : throw new FormatException($"\"{parts[1]}\" in \"{text}\" is not a number. Use decimal digits, or 0x and hexadecimal digits.");
    }

    private static bool TryParseNumber(string text, out ulong value) =>
        text.StartsWith("0x", StringComparison.OrdinalIgnoreCase)
            ? ulong.TryParse(text.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value)
            : ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value);
}

/// <summary>The positions of a field's bits, in the syntax of a PMU's format directory: <c>config:0-7,32-35</c>, lowest bits
/// first.</summary>
internal sealed class PerfEventFormat(string target, List<(int Low, int High)> ranges)
{
    /// <summary>Parses a format; null if it is invalid.</summary>
    public static PerfEventFormat? Parse(string text)
    {
        string[] parts = text.Trim().Split(':');
        if (parts is not ["config" or "config1" or "config2", var bits])
        {
            return null;
        }

        var ranges = new List<(int, int)>();
        foreach (string range in bits.Split(','))
        {
            string[] ends = range.Split('-');
            if (ends.Length > 2 || !TryParseBit(ends[0], out int low) || !TryParseBit(ends[^1], out int high) || high < low)
            {
                return null;
            }

            ranges.Add((low, high));
        }

        return new PerfEventFormat(parts[0], ranges);
    }

    /// <summary>Replaces the value of the field; false if the value has more bits than the field.</summary>
    public bool TrySet(ref PerfEventDefinition definition, ulong value)
    {
        ulong config = target switch
        {
            "config" => definition.Config,
            "config1" => definition.Config1,
            _ => definition.Config2,
        };

        foreach ((int low, int high) in ranges)
        {
            int width = high - low + 1;
            ulong mask = width == 64 ? ulong.MaxValue : (1UL << width) - 1;
            config = (config & ~(mask << low)) | ((value & mask) << low);
            value = width == 64 ? 0 : value >> width;
        }

        definition = target switch
        {
            "config" => definition with { Config = config },
            "config1" => definition with { Config1 = config },
            _ => definition with { Config2 = config },
        };
        return value == 0;
    }

    private static bool TryParseBit(string text, out int bit) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out bit) && bit < 64;
}

internal sealed record PerfEventSettings
{
    public IReadOnlyList<PerfEventSpec> Counters { get; init; } = [];

    /// <summary>The thread ID; 0 for the calling thread, -1 for all threads on <see cref="Cpu"/>.</summary>
    public int ThreadId { get; init; }

    public int Cpu { get; init; } = -1;

    /// <summary>The process whose threads are counted, 0 for this one; null if <see cref="ThreadId"/> and <see cref="Cpu"/>
    /// apply.</summary>
    public int? ProcessId { get; init; }

    /// <summary>Whether later threads are counted; null for the default, which is true for a process and false for a thread.</summary>
    public bool? Inherited { get; init; }

    public bool IsInherited => Inherited ?? ProcessId is not null;

    public bool IsPinned { get; init; }

    public bool CountsKernel { get; init; }

    public bool IsEnabled { get; init; } = true;

    /// <summary>Whether counting starts only when the target executes another program.</summary>
    public bool StartsOnExec { get; init; }

    public bool IsOptional { get; init; }

    /// <summary>Whether the counted thread reads its counters without the kernel if possible.</summary>
    public bool ReadsInUserSpace { get; init; } = true;

    /// <summary>The thread whose reads neither interrupt another CPU nor wait for a lock: the calling thread, if only it is counted.
    /// Otherwise null, because reads of other CPUs interrupt them, and reads of inherited counters take a lock.</summary>
    public Thread? PromptReader => IsOwnThread && !IsInherited ? Thread.CurrentThread : null;

    /// <summary>Whether only the calling thread is counted, so that it may read the counters without the kernel.</summary>
    public bool IsOwnThread => ProcessId is null && ThreadId == 0;
}
