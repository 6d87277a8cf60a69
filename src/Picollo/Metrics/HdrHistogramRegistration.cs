namespace Picollo.Metrics;

/// <summary>A histogram in a <see cref="HdrHistogramRegistry"/> with its name and labels. Immutable.</summary>
public sealed class HdrHistogramRegistration
{
    internal HdrHistogramRegistration(string name, (string Key, string Value)[] labels, HdrHistogram histogram)
    {
        Name = name;
        Labels = Array.AsReadOnly(labels);
        Histogram = histogram;
    }

    /// <summary>The name.</summary>
    public string Name { get; }

    /// <summary>The labels, in the ordinal order of their keys.</summary>
    public IReadOnlyList<(string Key, string Value)> Labels { get; }

    /// <summary>The histogram.</summary>
    public HdrHistogram Histogram { get; }

    /// <summary>Name and labels as text.</summary>
    /// <returns>For example <c>request_duration_ns{route="/orders"}</c>, or the name alone where there are no labels.</returns>
    public override string ToString() => Labels.Count == 0
        ? Name
        : $"{Name}{{{string.Join(',', Labels.Select(label => $"{label.Key}=\"{label.Value}\""))}}}";
}
