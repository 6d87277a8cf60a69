using System.Diagnostics;

namespace Picollo.Metrics;

/// <summary>A histogram with its name, labels and description, as it is in a <see cref="HdrHistogramRegistry"/>. Immutable.</summary>
[DebuggerDisplay("{ToString(),nq}")]
public sealed class HdrHistogramRegistration
{
    /// <summary>Names a histogram without labels and without a registry, for an exposition of histograms that are kept elsewhere.</summary>
    /// <param name="name">The name; not empty.</param>
    /// <param name="histogram">The histogram.</param>
    /// <param name="description">What its values mean.</param>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name is empty, or the description's lowest bound is above its highest.</exception>
    public HdrHistogramRegistration(string name, HdrHistogram histogram, HdrHistogramDescription description)
        : this([], name, histogram, description)
    {
    }

    /// <summary>Names a histogram without a registry, for an exposition of histograms that are kept elsewhere.</summary>
    /// <param name="name">The name; not empty.</param>
    /// <param name="histogram">The histogram.</param>
    /// <param name="description">What its values mean.</param>
    /// <param name="labels">Keys, not empty and each at most once, with their values; their order does not matter.</param>
    /// <exception cref="ArgumentNullException">An argument, a key or a value is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name or a key is empty, a key is duplicated, or the description's lowest bound is above
    /// its highest.</exception>
    public HdrHistogramRegistration(
        string name, HdrHistogram histogram, HdrHistogramDescription description, ReadOnlySpan<KeyValuePair<string, string>> labels)
        : this(Sorted(labels), name, histogram, description)
    {
    }

    /// <summary>Names a histogram with labels that <see cref="Sorted"/> returned.</summary>
    internal HdrHistogramRegistration(
        KeyValuePair<string, string>[] sortedLabels, string name, HdrHistogram histogram, HdrHistogramDescription description)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(histogram);
        Check(description);
        Name = name;
        Labels = Array.AsReadOnly(sortedLabels);
        Histogram = histogram;
        Description = description;
    }

    /// <summary>The name.</summary>
    public string Name { get; }

    /// <summary>The labels, in the ordinal order of their keys.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Labels { get; }

    /// <summary>The histogram.</summary>
    public HdrHistogram Histogram { get; }

    /// <summary>What its values mean.</summary>
    public HdrHistogramDescription Description { get; }

    /// <summary>The exact sum of the values, for an exposition, where the owner of the histogram keeps one; null for that of the
    /// buckets.</summary>
    internal Func<double>? ExactSum { get; init; }

    /// <summary>The traces of some recorded values in ascending order, for an exposition; null if the owner of the histogram keeps
    /// none.</summary>
    internal Func<IReadOnlyList<Exemplar>>? Exemplars { get; init; }

    /// <summary>Name and labels as text.</summary>
    /// <returns>For example <c>request_duration_ns{route="/orders"}</c>, or the name alone where there are no labels.</returns>
    public override string ToString() => Labels.Count == 0
        ? Name
        : $"{Name}{{{string.Join(',', Labels.Select(label => $"{label.Key}=\"{label.Value}\""))}}}";

    /// <summary>Checks labels and puts them into the ordinal order of their keys.</summary>
    internal static KeyValuePair<string, string>[] Sorted(ReadOnlySpan<KeyValuePair<string, string>> labels)
    {
        KeyValuePair<string, string>[] sorted = labels.ToArray();
        foreach ((string key, string value) in sorted)
        {
            ArgumentException.ThrowIfNullOrEmpty(key, nameof(labels));
            ArgumentNullException.ThrowIfNull(value, nameof(labels));
        }

        Array.Sort(sorted, (a, b) => string.CompareOrdinal(a.Key, b.Key));
        for (int i = 1; i < sorted.Length; i++)
        {
            if (sorted[i].Key == sorted[i - 1].Key)
            {
                throw new ArgumentException($"The label '{sorted[i].Key}' is duplicated.", nameof(labels));
            }
        }

        return sorted;
    }

    /// <summary>Checks what depends on two of a description's properties, which may be set in either order.</summary>
    internal static void Check(HdrHistogramDescription description)
    {
        ArgumentNullException.ThrowIfNull(description);
        if (description.LowestBound > description.HighestBound)
        {
            throw new ArgumentException(
                $"LowestBound ({description.LowestBound}) must not be above HighestBound ({description.HighestBound}).",
                nameof(description));
        }
    }
}
