namespace Picollo.Metrics;

/// <summary>Stores histograms by name and labels, for code that needs all of them, such as an exporter, a page or a log.</summary>
/// <remarks>
/// <para>No histogram is registered automatically, and there is no global registry. Create a registry and pass it to the code that needs
/// it. A registry keeps its histograms alive and does not dispose them.</para>
/// <para>Thread-safe. A lookup takes a lock and builds a key. Do not look up histograms on a hot path: look up each one once and keep
/// it.</para>
/// <example>
/// <code>
/// var registry = new HdrHistogramRegistry();
/// var latency = registry.GetOrAdd(
///     "request_duration_ns", () => HdrHistogram.Factory.WithThreadLocal().Create(), [new("route", "/orders")]);
/// foreach (HdrHistogramRegistration registration in registry.Registrations)
/// {
///     Console.WriteLine(registration.Histogram.GetSummary().ToString(registration.ToString()));
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class HdrHistogramRegistry
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, HdrHistogramRegistration> _byKey = [];
    private readonly Dictionary<string, (HdrHistogramDescription Description, int Count)> _names = [];
    private IReadOnlyList<HdrHistogramRegistration>? _sorted; // null after a change

    /// <summary>A copy of all registrations, ordered by name and labels. The same list is returned until a registration is added or
    /// removed.</summary>
    public IReadOnlyList<HdrHistogramRegistration> Registrations
    {
        get
        {
            lock (_gate)
            {
                return _sorted ??= Array.AsReadOnly<HdrHistogramRegistration>([.. _byKey.Values
                    .OrderBy(registration => registration.Name, StringComparer.Ordinal)
                    .ThenBy(registration => registration.ToString(), StringComparer.Ordinal)]);
            }
        }
    }

    /// <summary>Registers a histogram with labels and the default description, as
    /// <see cref="Add(string, HdrHistogram, HdrHistogramDescription?, ReadOnlySpan{KeyValuePair{string, string}})"/> does.</summary>
    /// <inheritdoc cref="Add(string, HdrHistogram, HdrHistogramDescription?, ReadOnlySpan{KeyValuePair{string, string}})"
    /// path="/param[@name!='description']|/exception"/>
    public void Add(string name, HdrHistogram histogram, ReadOnlySpan<KeyValuePair<string, string>> labels) =>
        Add(name, histogram, null, labels);

    /// <summary>Registers a histogram.</summary>
    /// <param name="name">The name; not empty.</param>
    /// <param name="histogram">The histogram.</param>
    /// <param name="description">The description of the values. It must be equal for all registrations of a name; <see langword="null"/>
    /// for the description with which the name is already registered, or <see cref="HdrHistogramDescription.None"/> for the first
    /// registration of a name.</param>
    /// <param name="labels">The labels, in any order. Keys must be unique and not empty. By default, there are none.</param>
    /// <exception cref="ArgumentNullException">The name, the histogram, a key or a value is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name or a key is empty, a key is duplicated, the name is already registered with these
    /// labels or with another description, or the description's lowest bound is above its highest.</exception>
    public void Add(
        string name,
        HdrHistogram histogram,
        HdrHistogramDescription? description = null,
        ReadOnlySpan<KeyValuePair<string, string>> labels = default)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        KeyValuePair<string, string>[] sorted = HdrHistogramRegistration.Sorted(labels);
        string key = KeyOf(name, sorted);
        lock (_gate)
        {
            if (_byKey.TryGetValue(key, out HdrHistogramRegistration? existing))
            {
                throw new ArgumentException($"{existing} is already registered.", nameof(name));
            }

            Keep(key, new HdrHistogramRegistration(sorted, name, histogram, DescriptionOf(name, description)));
        }
    }

    /// <summary>Returns the histogram that is registered under a name and labels, or creates and registers it with the default description,
    /// as <see cref="Add(string, HdrHistogram, HdrHistogramDescription?, ReadOnlySpan{KeyValuePair{string, string}})"/> does.</summary>
    /// <inheritdoc
    /// cref="GetOrAdd{THistogram}(string, Func{THistogram}, HdrHistogramDescription?, ReadOnlySpan{KeyValuePair{string, string}})"
    /// path="/typeparam|/param[@name!='description']|/returns|/exception"/>
    public THistogram GetOrAdd<THistogram>(string name, Func<THistogram> create, ReadOnlySpan<KeyValuePair<string, string>> labels)
        where THistogram : HdrHistogram => GetOrAdd(name, create, null, labels);

    /// <summary>Returns the histogram that is registered under a name and labels, or creates and registers it.</summary>
    /// <typeparam name="THistogram">The variant of the histogram. With the exact type, the JIT can inline the caller's calls to
    /// <see cref="HdrHistogram.Record(ulong)"/>.</typeparam>
    /// <param name="name">The name; not empty.</param>
    /// <param name="create">The function that creates the histogram if none is registered. It is called at most once, while the registry is
    /// locked.</param>
    /// <param name="description">The description of the values, as in
    /// <see cref="Add(string, HdrHistogram, HdrHistogramDescription?, ReadOnlySpan{KeyValuePair{string, string}})"/>.</param>
    /// <param name="labels">The labels, in any order. Keys must be unique and not empty. By default, there are none.</param>
    /// <returns>The registered histogram.</returns>
    /// <exception cref="ArgumentNullException">The name, the function, a key or a value is <see langword="null"/>, or
    /// <paramref name="create"/> returned <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name or a key is empty, a key is duplicated, the name is registered with another
    /// description, a histogram of another variant is registered, or the description's lowest bound is above its highest.</exception>
    public THistogram GetOrAdd<THistogram>(
        string name,
        Func<THistogram> create,
        HdrHistogramDescription? description = null,
        ReadOnlySpan<KeyValuePair<string, string>> labels = default)
        where THistogram : HdrHistogram
    {
        ArgumentNullException.ThrowIfNull(create);
        KeyValuePair<string, string>[] sorted = HdrHistogramRegistration.Sorted(labels);
        string key = KeyOf(name, sorted);
        lock (_gate)
        {
            description = DescriptionOf(name, description);
            if (!_byKey.TryGetValue(key, out HdrHistogramRegistration? registration))
            {
                THistogram created = create();
                ArgumentNullException.ThrowIfNull(created, nameof(create));
                registration = new HdrHistogramRegistration(sorted, name, created, description);
                Keep(key, registration);
            }

            return registration.Histogram as THistogram ?? throw new ArgumentException(
                $"{registration} is registered as a {registration.Histogram.GetType().Name}.", nameof(create));
        }
    }

    /// <summary>Finds a histogram without labels.</summary>
    /// <param name="name">The name.</param>
    /// <param name="histogram">The histogram if it was found; otherwise, <see langword="null"/>.</param>
    /// <returns><see langword="true"/> if a histogram is registered under that name without labels; otherwise,
    /// <see langword="false"/>.</returns>
    /// <exception cref="ArgumentNullException">The name is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public bool TryGet(string name, [NotNullWhen(true)] out HdrHistogram? histogram) => TryGet(name, [], out histogram);

    /// <summary>Finds a histogram by name and labels.</summary>
    /// <param name="name">The name.</param>
    /// <param name="labels">The labels, in any order.</param>
    /// <param name="histogram">The histogram if it was found; otherwise, <see langword="null"/>.</param>
    /// <returns><see langword="true"/> if a histogram is registered under that name with exactly these labels; otherwise,
    /// <see langword="false"/>.</returns>
    /// <exception cref="ArgumentNullException">The name, a key or a value is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name or a key is empty, or a key is duplicated.</exception>
    public bool TryGet(string name, ReadOnlySpan<KeyValuePair<string, string>> labels, [NotNullWhen(true)] out HdrHistogram? histogram)
    {
        string key = KeyOf(name, HdrHistogramRegistration.Sorted(labels));
        lock (_gate)
        {
            histogram = _byKey.GetValueOrDefault(key)?.Histogram;
            return histogram is not null;
        }
    }

    /// <summary>Removes a histogram by name and labels. Other code can continue to use it.</summary>
    /// <param name="name">The name.</param>
    /// <param name="labels">The labels, in any order. By default, there are none.</param>
    /// <returns><see langword="true"/> if a histogram was registered under that name with exactly these labels; otherwise,
    /// <see langword="false"/>.</returns>
    /// <inheritdoc cref="TryGet(string, ReadOnlySpan{KeyValuePair{string, string}}, out HdrHistogram?)" path="/exception"/>
    public bool Remove(string name, ReadOnlySpan<KeyValuePair<string, string>> labels = default)
    {
        string key = KeyOf(name, HdrHistogramRegistration.Sorted(labels));
        lock (_gate)
        {
            if (!_byKey.Remove(key))
            {
                return false;
            }

            (HdrHistogramDescription description, int count) = _names[name];
            if (count == 1)
            {
                _names.Remove(name);
            }
            else
            {
                _names[name] = (description, count - 1);
            }

            _sorted = null;
            return true;
        }
    }

    /// <summary>Returns the description of a name. Throws if the name is registered with a description that does not equal the given
    /// one.</summary>
    private HdrHistogramDescription DescriptionOf(string name, HdrHistogramDescription? description)
    {
        if (description is not null)
        {
            HdrHistogramRegistration.Check(description);
        }

        if (!_names.TryGetValue(name, out (HdrHistogramDescription Description, int Count) existing))
        {
            return description ?? HdrHistogramDescription.None;
        }

        return description is null || description == existing.Description ? existing.Description : throw new ArgumentException(
            $"'{name}' is registered with another description: {existing.Description}.", nameof(description));
    }

    private void Keep(string key, HdrHistogramRegistration registration)
    {
        _byKey.Add(key, registration);
        int count = _names.GetValueOrDefault(registration.Name).Count;
        _names[registration.Name] = (registration.Description, count + 1);
        _sorted = null;
    }

    /// <summary>Joins labels into one string. Each part is preceded by its length and a colon, so that different labels always give
    /// different strings.</summary>
    internal static string KeyOf(IReadOnlyList<KeyValuePair<string, string>> labels)
    {
        StringBuilder key = new();
        foreach ((string label, string value) in labels)
        {
            key.Append(label.Length).Append(':').Append(label).Append(value.Length).Append(':').Append(value);
        }

        return key.ToString();
    }

    private static string KeyOf(string name, IReadOnlyList<KeyValuePair<string, string>> labels)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return string.Create(CultureInfo.InvariantCulture, $"{name.Length}:{name}{KeyOf(labels)}");
    }
}
