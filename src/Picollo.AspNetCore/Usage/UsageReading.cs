namespace Picollo.AspNetCore.Usage;

/// <summary>What all subjects had counted at a moment, and what the process took.</summary>
internal sealed record UsageReading
{
    /// <summary>When it was read.</summary>
    public required DateTimeOffset Time { get; init; }

    /// <summary>The time that rates and shares are over.</summary>
    public required TimeSpan Window { get; init; }

    /// <summary>The processors that this process can use.</summary>
    public required int Processors { get; init; }

    /// <summary>CPU seconds of the whole process a second and processor, over the window; null where the system does not tell.</summary>
    public required double? ProcessShare { get; init; }

    /// <summary>By route and method, and by name.</summary>
    public required IReadOnlyList<SubjectUsage> All { get; init; }

    /// <summary>The routes, that which has taken most CPU time first.</summary>
    public IReadOnlyList<SubjectUsage> Routes =>
        field ??= [.. All.Where(usage => usage.Subject.IsRoute).OrderByDescending(usage => usage.Sum)];

    /// <summary>The registered histograms.</summary>
    public IReadOnlyList<SubjectUsage> Histograms => field ??= [.. All.Where(usage => !usage.Subject.IsRoute)];
}
