using Picollo.Metrics;

namespace Picollo.Diagnostics.Runtime;

/// <summary>Registers histograms, if there is a registry, and removes them when it is disposed. Not thread-safe.</summary>
internal sealed class RuntimeHistograms(HdrHistogramRegistry? registry) : IDisposable
{
    private readonly List<HdrHistogramRegistration> _registered = [];

    /// <exception cref="ArgumentException">The name is already registered.</exception>
    public THistogram Add<THistogram>(string name, THistogram histogram, HdrHistogramDescription description)
        where THistogram : HdrHistogram
    {
        Register(new(name, histogram, description));
        return histogram;
    }

    /// <summary>Registers a histogram, unless its name is already registered with these labels or with another description.</summary>
    public HdrHistogramRegistration TryAdd(HdrHistogramRegistration registration)
    {
        try
        {
            Register(registration);
        }
        catch (ArgumentException)
        {
            // The application has already registered a histogram, which remains registered.
        }

        return registration;
    }

    public void Dispose()
    {
        foreach (HdrHistogramRegistration registration in _registered)
        {
            registry?.Remove(registration.Name, [.. registration.Labels]);
        }

        _registered.Clear();
    }

    private void Register(HdrHistogramRegistration registration)
    {
        if (registry is not null)
        {
            registry.Add(registration.Name, registration.Histogram, registration.Description, [.. registration.Labels]);
            _registered.Add(registration);
        }
    }
}
