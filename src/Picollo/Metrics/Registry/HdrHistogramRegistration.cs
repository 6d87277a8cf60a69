namespace Picollo.Metrics;

/// <summary>A histogram with its name, labels and description, as <see cref="HdrHistogramRegistry"/> stores it. Immutable.</summary>
[DebuggerDisplay("{ToString(),nq}")]
public sealed class HdrHistogramRegistration
{
    /// <summary>Creates a registration that does not belong to a registry, for the exposition of histograms that are kept
    /// elsewhere.</summary>
    /// <param name="name">The name; not empty.</param>
    /// <param name="histogram">The histogram.</param>
    /// <param name="description">The description of its values.</param>
    /// <param name="labels">The labels, in any order. Keys must be unique and not empty. By default, there are none.</param>
    /// <exception cref="ArgumentNullException">An argument, a key or a value is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name or a key is empty, a key is duplicated, or the description's lowest bound is above
    /// its highest.</exception>
    public HdrHistogramRegistration(
        string name,
        HdrHistogram histogram,
        HdrHistogramDescription description,
        ReadOnlySpan<KeyValuePair<string, string>> labels = default)
        : this(Sorted(labels), name, histogram, description)
    {
    }

    /// <summary>Creates a registration with labels that <see cref="Sorted"/> returned.</summary>
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

    /// <summary>The description of its values.</summary>
    public HdrHistogramDescription Description { get; }

    /// <summary>Returns the name and the labels as text.</summary>
    /// <returns>A string such as <c>request_duration_ns{route="/orders"}</c>; only the name if there are no labels.</returns>
    public override string ToString() => Labels.Count == 0
        ? Name
        : $"{Name}{{{string.Join(',', Labels.Select(label => $"{label.Key}=\"{label.Value}\""))}}}";

    /// <summary>Validates labels and sorts them by key, in ordinal order.</summary>
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

    /// <summary>Validates the bounds of a description together, because they may be set in either order.</summary>
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
