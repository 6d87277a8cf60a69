using System.Globalization;
using System.Runtime.CompilerServices;
using Picollo.AspNetCore.Requests;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Usage;

/// <summary>A row of the page: a route, with histograms of CPU and wall time, or a registered histogram. Immutable.</summary>
internal sealed class Subject
{
    private static readonly HdrHistogramUnit Milliseconds = new() { Name = "ms", Ratio = 1e6 }; // of nanoseconds

    private static readonly ConditionalWeakTable<RouteUsage, Subject> Routes = [];
    private static readonly ConditionalWeakTable<HdrHistogramRegistration, Subject> Registered = [];

    private static readonly HdrHistogramDescription CpuTime =
        HdrHistogramDescription.Nanoseconds with { Help = "CPU time of requests, over all the threads they ran on." };

    private static readonly HdrHistogramDescription Duration =
        HdrHistogramDescription.Nanoseconds with { Help = "Duration of requests, from start to end." };

    /// <summary>Identifies the subject in addresses: 16 hexadecimal digits that are the same in every process and contain no text of the
    /// application.</summary>
    public required string Id { get; init; }

    /// <summary>The pattern of a route, or the name of a histogram with its labels.</summary>
    public required string Name { get; init; }

    /// <summary>The method of a route; empty for a registered histogram.</summary>
    public string Method { get; private init; } = "";

    /// <summary>The histograms as the exposition names them: CPU and wall time of a route, or the one that was registered.</summary>
    public required IReadOnlyList<HdrHistogramRegistration> Registrations { get; init; }

    /// <summary>Their names in plots.</summary>
    public IReadOnlyList<string> SeriesNames { get; private init; } = ["values"];

    /// <summary>The unit on the page.</summary>
    public HdrHistogramUnit Unit { get; private init; } = Milliseconds;

    /// <summary>The route; null for a registered histogram.</summary>
    public RouteUsage? Route { get; private init; }

    public bool IsRoute => Route is not null;

    /// <summary>The subject of a route, always the same one.</summary>
    public static Subject Of(RouteUsage usage) => Routes.GetValue(usage, static usage =>
    {
        KeyValuePair<string, string>[] labels = [new("http_request_method", usage.Method), new("http_route", usage.Route)];
        return new Subject
        {
            Id = IdOf("route", usage.Method, usage.Route),
            Name = usage.Route,
            Method = usage.Method,
            Route = usage,
            Registrations =
            [
                new("picollo_http_server_request_cpu_time", usage.Cpu, CpuTime, labels),
                new("picollo_http_server_request_wall_time", usage.Wall, Duration, labels),
            ],
            SeriesNames = ["CPU", "wall"],
        };
    });

    /// <summary>The subject of a registered histogram, always the same one.</summary>
    public static Subject Of(HdrHistogramRegistration registration) => Registered.GetValue(registration, static registration =>
    {
        HdrHistogramDescription description = registration.Description;

        // Times of up to a second's resolution are shown in milliseconds, as people read them; Prometheus requires seconds.
        HdrHistogramUnit unit = description.Unit;
        bool isTime = unit.Name == "seconds" && unit.Ratio >= 1;
        return new Subject
        {
            Id = IdOf(["histogram", registration.Name, .. registration.Labels.SelectMany(label => new[] { label.Key, label.Value })]),
            Name = registration.ToString(),
            Registrations = [registration],
            Unit = isTime ? new() { Name = "ms", Ratio = unit.Ratio / 1000 } : unit,
        };
    });

    // FNV-1a, 64 bits (draft-eastlake-fnv). Collisions are no threat: the names are the application's own.
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

/// <summary>All current rows: first the routes, then the registered histograms.</summary>
internal sealed class Subjects(RouteTable routes, HdrHistogramRegistry registry)
{
    public RouteTable Routes => routes;

    public IReadOnlyList<Subject> All => [.. routes.All.Select(Subject.Of), .. registry.Registrations.Select(Subject.Of)];

    /// <summary>Every histogram with the name and labels that it is exposed by; those of one name are adjacent.</summary>
    public IReadOnlyList<HdrHistogramRegistration> Registrations =>
        [.. All.SelectMany(subject => subject.Registrations.Index()).OrderBy(indexed => indexed.Index).Select(indexed => indexed.Item)];

    /// <summary>The subject with an ID; null if there is none.</summary>
    public Subject? Find(string id) => All.FirstOrDefault(subject => subject.Id == id);
}
