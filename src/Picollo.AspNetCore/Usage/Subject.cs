using System.Globalization;
using System.Runtime.CompilerServices;
using Picollo.AspNetCore.Requests;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Usage;

/// <summary>What has a row: a route, with histograms of CPU and of wall time, or a registered histogram. Immutable.</summary>
internal sealed class Subject
{
    private const double NanosecondsPerMillisecond = 1e6;

    private static readonly ConditionalWeakTable<RouteUsage, Subject> Routes = [];
    private static readonly ConditionalWeakTable<HdrHistogramRegistration, Subject> Registered = [];

    private static readonly HdrHistogramDescription CpuTime =
        HdrHistogramDescription.Nanoseconds with { Help = "CPU time of requests, over all the threads they ran on." };

    private static readonly HdrHistogramDescription Duration =
        HdrHistogramDescription.Nanoseconds with { Help = "Time from the begin of requests to their end." };

    private Subject(string id, string name, IReadOnlyList<HdrHistogramRegistration> registrations)
    {
        Id = id;
        Name = name;
        Registrations = registrations;
    }

    /// <summary>Stands for the subject in addresses: 16 hexadecimal digits that are the same in every process, and no text of
    /// others.</summary>
    public string Id { get; }

    /// <summary>The pattern of a route, or the name with its labels of a histogram.</summary>
    public string Name { get; }

    /// <summary>The method of a route; empty for a registered histogram.</summary>
    public string Method { get; private init; } = "";

    /// <summary>Its histograms as an exposition names them: CPU and wall time of a route, or the one that was registered.</summary>
    public IReadOnlyList<HdrHistogramRegistration> Registrations { get; }

    /// <summary>What a plot calls them.</summary>
    public IReadOnlyList<string> SeriesNames { get; private init; } = ["values"];

    /// <summary>The unit that a page shows; empty for none.</summary>
    public string Unit { get; private init; } = "ms";

    /// <summary>What recorded values are divided by to be in that unit.</summary>
    public double UnitRatio { get; private init; } = NanosecondsPerMillisecond;

    /// <summary>The route; null of a registered histogram.</summary>
    public RouteUsage? Route { get; private init; }

    public bool IsRoute => Route is not null;

    /// <summary>Method and pattern, or the name of the histogram.</summary>
    public string Title => IsRoute ? $"{Method} {Name}" : Name;

    /// <summary>The subject of a route, always the same one.</summary>
    public static Subject Of(RouteUsage usage) => Routes.GetValue(usage, static usage =>
    {
        (string, string)[] labels = [("http_request_method", usage.Method), ("http_route", usage.Route)];
        return new Subject(IdOf("route", usage.Method, usage.Route), usage.Route, [
            new("http_server_request_cpu_time", usage.Cpu, CpuTime, labels),
            new("http_server_request_wall_time", usage.Wall, Duration, labels),
        ])
        {
            Method = usage.Method,
            Route = usage,
            SeriesNames = ["CPU", "wall"],
        };
    });

    /// <summary>The subject of a registered histogram, always the same one.</summary>
    public static Subject Of(HdrHistogramRegistration registration) => Registered.GetValue(registration, static registration =>
    {
        HdrHistogramDescription description = registration.Description;
        string[] parts = ["histogram", registration.Name, .. registration.Labels.SelectMany(label => new[] { label.Key, label.Value })];

        // People read requests' times in milliseconds, which Prometheus wants in seconds; not what was recorded in hours.
        bool isTime = description.Unit == "seconds" && description.ValueUnitRatio >= 1;
        return new Subject(IdOf(parts), registration.ToString(), [registration])
        {
            Unit = isTime ? "ms" : description.Unit,
            UnitRatio = isTime ? description.ValueUnitRatio / 1000 : description.ValueUnitRatio,
        };
    });

    // FNV-1a, 64 bits (draft-eastlake-fnv): nobody gains by two names that meet, for names are the application's own.
    private static string IdOf(params ReadOnlySpan<string> parts)
    {
        const ulong Basis = 0xcbf29ce484222325;
        const ulong Prime = 0x100000001b3;
        ulong hash = Basis;
        foreach (string part in parts)
        {
            hash = (hash ^ (ulong)part.Length) * Prime;
            foreach (char letter in part)
            {
                hash = (hash ^ letter) * Prime;
            }
        }

        return hash.ToString("x16", CultureInfo.InvariantCulture);
    }
}
