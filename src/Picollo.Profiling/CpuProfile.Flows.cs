using Picollo.Cpu;

namespace Picollo.Profiling;

/// <content>The parts of a profile that belong to flows.</content>
public sealed partial class CpuProfile
{
    /// <summary>The samples by flow; null if they are unknown.</summary>
    internal FlowProfiles? Flows { get; init; }

    /// <summary>Returns the part of the profile whose CPU time a watcher counted: the samples of its flow, on all threads, until
    /// <see cref="CpuUsageAsyncWatcher.Stop"/>.</summary>
    /// <param name="watcher">A watcher that ran while the profile was taken.</param>
    /// <returns>The samples; none if the watcher ran at another time, or used less CPU time than the sampling period.</returns>
    /// <remarks>A sample belongs to each watcher that ran in its flow. Thread-safe.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="watcher"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException">The profile belongs to another process, was read from a file, or is part of another
    /// profile.</exception>
    public CpuProfile Of(CpuUsageAsyncWatcher watcher)
    {
        ArgumentNullException.ThrowIfNull(watcher);
        return Part("a flow", KnownFlows.Watchers.GetValueOrDefault(watcher) ?? new CpuProfileNode(Root.Frame));
    }

    /// <summary>Returns the parts of the profile by the route of the request, or by the name of the work, as <c>Picollo.AspNetCore</c>
    /// measures them. Samples outside all of them are in the part <see cref="CpuProfileRoute.NoRequest"/>.</summary>
    /// <returns>The parts that have samples, ordered by descending number of samples. Together they have all samples of the
    /// profile.</returns>
    /// <remarks>
    /// <para>The part of a route includes CPU time after the response, and everything that the request starts, on any thread.</para>
    /// <example>
    /// <code>
    /// foreach (CpuProfileRoute part in profile.ByRoute())
    /// {
    ///     Console.WriteLine($"{part}: {part.Profile.SampleCount} samples");
    /// }
    /// </code>
    /// </example>
    /// <para>Thread-safe.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">The profile belongs to another process, was read from a file, or is part of another
    /// profile.</exception>
    public IReadOnlyList<CpuProfileRoute> ByRoute() =>
    [
        .. KnownFlows.Labels
            .Append(new(FlowLabel.None, KnownFlows.Unlabeled))
            .Where(pair => pair.Value.SampleCount > 0)
            .Select(pair => new CpuProfileRoute(pair.Key.Method, pair.Key.Name, Part($"{pair.Key}", pair.Value)))
            .OrderByDescending(part => part.Profile.SampleCount)
            .ThenBy(part => part.Route, StringComparer.Ordinal)
            .ThenBy(part => part.Method, StringComparer.Ordinal),
    ];

    /// <summary>Returns the number of nodes in its tree and in those of its parts.</summary>
    internal int CountNodes()
    {
        IEnumerable<CpuProfileNode> parts = Flows is null ? [] : [.. Flows.Watchers.Values, .. Flows.Labels.Values, Flows.Unlabeled];
        return parts.Append(Root).Sum(root => GetNodes(root).Count());
    }

    private FlowProfiles KnownFlows =>
        Flows ?? throw new InvalidOperationException(
            "This profile belongs to another process, was read from a file, or is part of another profile, so its flows are unknown.");

    private CpuProfile Part(string name, CpuProfileNode root) => new(root)
    {
        Title = $"{name} in {Title}",
        StartTimeUtc = StartTimeUtc,
        Duration = Duration,
        Frequency = Frequency,
        EventName = EventName,
        IncludesKernel = IncludesKernel,
        Notes = Notes,
    };
}
