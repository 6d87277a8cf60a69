using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Picollo.Metrics;

/// <summary>Histograms by name and labels, for code that has to find them all: an exporter, a page, a log.</summary>
/// <remarks>
/// <para>Opt-in: nothing registers by itself, and there is no global registry; make one and hand it to those who need it. A
/// registry keeps its histograms alive and does not dispose them.</para>
/// <para>Thread-safe. Look-ups take a lock and build a key: look a histogram up once and keep it, not on a hot path.</para>
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
    private IReadOnlyList<HdrHistogramRegistration>? _sorted; // null when something has changed since

    /// <summary>All registrations at the moment of the call, in the order of their names and labels; the same list again until one
    /// is added or removed.</summary>
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

    /// <summary>Registers a histogram without labels, with the description of its name's other registrations, or with
    /// <see cref="HdrHistogramDescription.None"/> where it is the first.</summary>
    /// <inheritdoc cref="Add(string, HdrHistogram, HdrHistogramDescription, ReadOnlySpan{KeyValuePair{string, string}})"
    /// path="/param[@name='name' or @name='histogram']|/exception[@cref='T:System.ArgumentNullException']"/>
    /// <exception cref="ArgumentException">The name is empty or already registered without labels.</exception>
    public void Add(string name, HdrHistogram histogram) => Add(name, histogram, []);

    /// <summary>Registers a histogram with the description of its name's other registrations, or with
    /// <see cref="HdrHistogramDescription.None"/> where it is the first.</summary>
    /// <inheritdoc cref="Add(string, HdrHistogram, HdrHistogramDescription, ReadOnlySpan{KeyValuePair{string, string}})"
    /// path="/param[@name!='description']|/exception[@cref='T:System.ArgumentNullException']"/>
    /// <exception cref="ArgumentException">The name or a key is empty, a key is duplicated, or the name is already registered with
    /// these labels.</exception>
    public void Add(string name, HdrHistogram histogram, ReadOnlySpan<KeyValuePair<string, string>> labels) =>
        AddNew(name, histogram, null, HdrHistogramRegistration.Sorted(labels));

    /// <summary>Registers a histogram without labels and says what its values mean.</summary>
    /// <inheritdoc cref="Add(string, HdrHistogram, HdrHistogramDescription, ReadOnlySpan{KeyValuePair{string, string}})"
    /// path="/param[@name!='labels']|/exception[@cref='T:System.ArgumentNullException']"/>
    /// <exception cref="ArgumentException">The name is empty, already registered without labels, or registered with another description,
    /// or the description's lowest bound is above its highest.</exception>
    public void Add(string name, HdrHistogram histogram, HdrHistogramDescription description) => Add(name, histogram, description, []);

    /// <summary>Registers a histogram and says what its values mean.</summary>
    /// <param name="name">The name; not empty.</param>
    /// <param name="histogram">The histogram.</param>
    /// <param name="description">What its values mean: the same for all registrations of a name.</param>
    /// <param name="labels">Keys, not empty and each at most once, with their values; their order does not matter.</param>
    /// <exception cref="ArgumentNullException">An argument, a key or a value is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name or a key is empty, a key is duplicated, the name is already registered with these
    /// labels or with another description, or the description's lowest bound is above its highest.</exception>
    public void Add(
        string name, HdrHistogram histogram, HdrHistogramDescription description, ReadOnlySpan<KeyValuePair<string, string>> labels)
    {
        HdrHistogramRegistration.Check(description);
        AddNew(name, histogram, description, HdrHistogramRegistration.Sorted(labels));
    }

    /// <summary>The histogram that is registered by a name without labels, or a new one that is registered now, as by
    /// <see cref="Add(string, HdrHistogram)"/>.</summary>
    /// <inheritdoc
    /// cref="GetOrAdd{THistogram}(string, Func{THistogram}, HdrHistogramDescription, ReadOnlySpan{KeyValuePair{string, string}})"
    /// path="/typeparam|/param[@name='name' or @name='create']|/returns|/exception[@cref='T:System.ArgumentNullException']"/>
    /// <exception cref="ArgumentException">The name is empty, or the histogram that is registered is of another variant.</exception>
    public THistogram GetOrAdd<THistogram>(string name, Func<THistogram> create)
        where THistogram : HdrHistogram => GetOrAdd(name, create, []);

    /// <summary>The histogram that is registered by a name and labels, or a new one that is registered now, as by
    /// <see cref="Add(string, HdrHistogram, ReadOnlySpan{KeyValuePair{string, string}})"/>.</summary>
    /// <inheritdoc
    /// cref="GetOrAdd{THistogram}(string, Func{THistogram}, HdrHistogramDescription, ReadOnlySpan{KeyValuePair{string, string}})"
    /// path="/typeparam|/param[@name!='description']|/returns|/exception[@cref='T:System.ArgumentNullException']"/>
    /// <exception cref="ArgumentException">The name or a key is empty, a key is duplicated, or the histogram that is registered is
    /// of another variant.</exception>
    public THistogram GetOrAdd<THistogram>(string name, Func<THistogram> create, ReadOnlySpan<KeyValuePair<string, string>> labels)
        where THistogram : HdrHistogram => GetOrAddNew(name, create, null, labels);

    /// <summary>The histogram that is registered by a name without labels, or a new one that is registered now, with what its values
    /// mean.</summary>
    /// <inheritdoc
    /// cref="GetOrAdd{THistogram}(string, Func{THistogram}, HdrHistogramDescription, ReadOnlySpan{KeyValuePair{string, string}})"
    /// path="/typeparam|/param[@name!='labels']|/returns|/exception[@cref='T:System.ArgumentNullException']"/>
    /// <exception cref="ArgumentException">The name is empty or registered with another description, the histogram that is registered is
    /// of another variant, or the description's lowest bound is above its highest.</exception>
    public THistogram GetOrAdd<THistogram>(string name, Func<THistogram> create, HdrHistogramDescription description)
        where THistogram : HdrHistogram => GetOrAdd(name, create, description, []);

    /// <summary>The histogram that is registered by a name and labels, or a new one that is registered now, with what its values
    /// mean.</summary>
    /// <typeparam name="THistogram">The variant, so that the caller's records can be inlined.</typeparam>
    /// <param name="name">The name; not empty.</param>
    /// <param name="create">Makes the histogram where there is none; called at most once, with the registry locked.</param>
    /// <param name="description">What its values mean: the same for all registrations of a name.</param>
    /// <param name="labels">Keys, not empty and each at most once, with their values; their order does not matter.</param>
    /// <returns>The histogram.</returns>
    /// <exception cref="ArgumentNullException">An argument, a key or a value is, or <paramref name="create"/> returned,
    /// <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name or a key is empty, a key is duplicated, the name is registered with another
    /// description, the histogram that is registered is of another variant, or the description's lowest bound is above its
    /// highest.</exception>
    public THistogram GetOrAdd<THistogram>(
        string name,
        Func<THistogram> create,
        HdrHistogramDescription description,
        ReadOnlySpan<KeyValuePair<string, string>> labels)
        where THistogram : HdrHistogram
    {
        HdrHistogramRegistration.Check(description);
        return GetOrAddNew(name, create, description, labels);
    }

    /// <summary>Finds a histogram without labels.</summary>
    /// <param name="name">The name.</param>
    /// <param name="histogram">The histogram, if there is one.</param>
    /// <returns>Whether one is registered by that name and no labels.</returns>
    /// <exception cref="ArgumentNullException">The name is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public bool TryGet(string name, [NotNullWhen(true)] out HdrHistogram? histogram) => TryGet(name, [], out histogram);

    /// <summary>Finds a histogram.</summary>
    /// <param name="name">The name.</param>
    /// <param name="labels">The labels, in any order.</param>
    /// <param name="histogram">The histogram, if there is one.</param>
    /// <returns>Whether one is registered by that name and exactly these labels.</returns>
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

    /// <summary>Removes a histogram without labels; its other users can go on using it.</summary>
    /// <param name="name">The name.</param>
    /// <returns>Whether one was registered by that name and no labels.</returns>
    /// <inheritdoc cref="TryGet(string, out HdrHistogram?)" path="/exception"/>
    public bool Remove(string name) => Remove(name, []);

    /// <summary>Removes a histogram; its other users can go on using it.</summary>
    /// <param name="name">The name.</param>
    /// <param name="labels">The labels, in any order.</param>
    /// <returns>Whether one was registered by that name and exactly these labels.</returns>
    /// <inheritdoc cref="TryGet(string, ReadOnlySpan{KeyValuePair{string, string}}, out HdrHistogram?)" path="/exception"/>
    public bool Remove(string name, ReadOnlySpan<KeyValuePair<string, string>> labels)
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

    private void AddNew(string name, HdrHistogram histogram, HdrHistogramDescription? description, KeyValuePair<string, string>[] labels)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        string key = KeyOf(name, labels);
        lock (_gate)
        {
            if (_byKey.TryGetValue(key, out HdrHistogramRegistration? there))
            {
                throw new ArgumentException($"{there} is already registered.", nameof(name));
            }

            Keep(key, new HdrHistogramRegistration(labels, name, histogram, DescriptionOf(name, description)));
        }
    }

    private THistogram GetOrAddNew<THistogram>(
        string name, Func<THistogram> create, HdrHistogramDescription? description, ReadOnlySpan<KeyValuePair<string, string>> labels)
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

    /// <summary>The description for a name: the one it has, which one that is asked for must equal.</summary>
    private HdrHistogramDescription DescriptionOf(string name, HdrHistogramDescription? description)
    {
        if (!_names.TryGetValue(name, out (HdrHistogramDescription Description, int Count) there))
        {
            return description ?? HdrHistogramDescription.None;
        }

        return description is null || description == there.Description ? there.Description : throw new ArgumentException(
            $"'{name}' is registered with another description: {there.Description}.", nameof(description));
    }

    private void Keep(string key, HdrHistogramRegistration registration)
    {
        _byKey.Add(key, registration);
        int count = _names.GetValueOrDefault(registration.Name).Count;
        _names[registration.Name] = (registration.Description, count + 1);
        _sorted = null;
    }

    /// <summary>Labels in one string. Each part has its length and a colon before it, so that the string can be split in one way only,
    /// whatever the parts contain.</summary>
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
