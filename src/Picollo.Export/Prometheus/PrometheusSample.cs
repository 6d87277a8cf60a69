namespace Picollo.Export;

/// <summary>A series of a counter or gauge, with its current value. Immutable and thread-safe.</summary>
public readonly struct PrometheusSample
{
    private readonly KeyValuePair<string, string>[]? _labels;

    /// <summary>Creates a sample.</summary>
    /// <param name="value">The value.</param>
    /// <param name="labels">The labels of the series. They are copied.</param>
    /// <exception cref="ArgumentNullException">A key or a value is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">A key is empty.</exception>
    public PrometheusSample(double value, ReadOnlySpan<KeyValuePair<string, string>> labels = default)
    {
        foreach ((string key, string text) in labels)
        {
            ArgumentException.ThrowIfNullOrEmpty(key, nameof(labels));
            ArgumentNullException.ThrowIfNull(text, nameof(labels));
        }

        (Value, _labels) = (value, labels.IsEmpty ? null : labels.ToArray());
    }

    /// <summary>The value.</summary>
    public double Value { get; }

    /// <summary>The labels of the series; empty for the only series of a metric.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Labels => _labels ?? [];
}
