namespace Picollo.Cpu;

/// <summary>The rare parts of a watcher, in one object, so that a watcher stays small. Of the three kinds, a watcher needs at most
/// one.</summary>
internal abstract class OptionalWatcherParts
{
    /// <summary>The states of the flow; null if they are not measured.</summary>
    public virtual FlowLatency? Latency => null;
}

/// <summary>Links a watcher to the label of its flow, and to what counts the flow after the stop.</summary>
/// <remarks>Immutable, so that a watcher changes all links at once, and watchers share an object: those with the same label while they run,
/// then those with the same successor. Only <see cref="Open"/> and <see cref="Latency"/> take an object for each watcher.</remarks>
internal sealed class FlowLinks(
    FlowLabel? label, CpuUsageAsyncWatcher? successor = null, OpenSegments? open = null, FlowLatency? latency = null)
    : OptionalWatcherParts
{
    public FlowLabel? Label { get; } = label;

    public override FlowLatency? Latency { get; } = latency;

    /// <summary>The watcher that counts after the stop; null for none, and if it was stopped (a span with a representative).</summary>
    public CpuUsageAsyncWatcher? Successor => successor is { IsRunning: true } ? successor : null;

    /// <summary>The segments whose allocated bytes the stopped watcher waits for; null for none.</summary>
    public OpenSegments? Open { get; } = open;

    /// <summary>The links after the wait.</summary>
    public FlowLinks? WithoutOpen => Latency is null ? Successor?.Links ?? Label?.Links : new(Label, successor, latency: Latency);

    public bool IsCounting => Open is not null || Successor is not null;

    public FlowReadings Readings =>
        (Successor?.Readings ?? default) | (Open is null ? default : FlowReadings.Total | FlowReadings.Allocations);
}

/// <summary>The pieces of a flow whose watcher lists its switches. It belongs to one watcher and changes under its lock.</summary>
internal sealed class SwitchList(FlowLatency? latency) : OptionalWatcherParts
{
    public override FlowLatency? Latency { get; } = latency;

    /// <summary>The last piece; null if there is none.</summary>
    public FlowPiece? Last { get; set; }
}

/// <summary>The data of a span, which its tracer defines. Spans may share an object.</summary>
internal abstract class SpanData : OptionalWatcherParts;

/// <summary>The purpose of a flow: a request to a route, or named work, which has an empty method.</summary>
internal sealed record FlowLabel(string Method, string Name)
{
    public const string NoRequest = "(no request)";

    /// <summary>The label of requests that are not shown separately: they count as work outside requests.</summary>
    public static readonly FlowLabel None = new("", NoRequest);

    /// <summary>The links of watchers that have only this label, so that setting it does not allocate. Two threads may each create an
    /// object, which has no effect.</summary>
    public FlowLinks Links => field ??= new FlowLinks(this);

    /// <summary>Compares method and name, without <see cref="Links"/>.</summary>
    public bool Equals(FlowLabel? other) => other is not null && Method == other.Method && Name == other.Name;

    public override int GetHashCode() => HashCode.Combine(Method, Name);

    /// <returns>A string such as <c>GET /users/{id}</c>.</returns>
    public override string ToString() => Method.Length == 0 ? Name : $"{Method} {Name}";
}
