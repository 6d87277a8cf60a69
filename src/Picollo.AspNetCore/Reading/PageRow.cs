using System.Globalization;
using System.Runtime.CompilerServices;
using Picollo.AspNetCore.Measuring;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Reading;

/// <summary>A row of the page: a route, named work, or a registered histogram. Immutable.</summary>
internal sealed class PageRow
{
    private static readonly ConditionalWeakTable<Row, PageRow> Rows = [];
    private static readonly ConditionalWeakTable<HdrHistogramRegistration, PageRow> Registered = [];

    private (RunFactDescription Fact, HdrHistogramRegistration Registration)[] _recorded = [];

    /// <summary>The ID of the row in addresses: 16 hexadecimal digits that are the same in every process and contain no text of the
    /// application.</summary>
    public required string Id { get; init; }

    /// <summary>The pattern of a route, the name of work, or the name of a histogram with its labels.</summary>
    public required string Name { get; init; }

    /// <summary>The method of a route; empty for a registered histogram.</summary>
    public string Method { get; private init; } = "";

    /// <summary>The histograms in plots: those of the plotted facts of a route or of work, or the registered histogram.</summary>
    public required IReadOnlyList<HdrHistogramRegistration> Registrations { get; init; }

    /// <summary>The names of <see cref="Registrations"/> in plots.</summary>
    public IReadOnlyList<string> SeriesNames { get; private init; } = ["values"];

    /// <summary>The histograms in the exposition: those of all facts, except that the durations of a route are split by status code;
    /// or the registered histogram.</summary>
    public IEnumerable<HdrHistogramRegistration> Exposed => Measured is not { } row ? Registrations : _recorded.SelectMany(recorded =>
        Route is { } route && recorded.Fact.Fact == RunFact.WallTime ? route.Durations.Select(duration => duration.Registration)
        : row.ShownHistogramOf(recorded.Fact) is null ? []
        : [recorded.Registration]);

    /// <summary>The unit on the page.</summary>
    public HdrHistogramUnit Unit { get; private init; } = RunFacts.Milliseconds;

    /// <summary>The route or the named work; null for a registered histogram.</summary>
    public Row? Measured { get; private init; }

    /// <summary>The route; null for named work and for a registered histogram.</summary>
    public RouteRow? Route => Measured as RouteRow;

    /// <summary>The named work; null for a route and for a registered histogram.</summary>
    public WorkRow? WorkRow => Measured as WorkRow;

    public bool IsRoute => Route is not null;

    /// <summary>Whether the row is a histogram of the runtime, whose name starts with <c>dotnet.</c>.</summary>
    public bool IsRuntime => Measured is null && Name.StartsWith("dotnet.", StringComparison.Ordinal);

    /// <summary>Returns the row of a route or of named work, always the same object.</summary>
    public static PageRow FromRow(Row row) => Rows.GetValue(row, static row =>
    {
        var route = row as RouteRow;
        KeyValuePair<string, string>[] labels = route is null
            ? [new("work", row.Name)]
            : [new("http.request.method", route.Method), new("http.route", route.Route)];
        Func<IReadOnlyList<Exemplar>>? readExemplars = route?.MostExpensive is { } expensive ? expensive.ReadExemplars : null;
        (RunFactDescription Fact, HdrHistogramRegistration Registration)[] all =
        [
            .. from fact in RunFacts.Recorded
               let histogram = row.HistogramOf(fact.Fact)
               where histogram is not null
               select (fact, new HdrHistogramRegistration(row.MetricOf(fact)!, histogram, fact.Description, labels)
               {
                   OwnerFacts = new()
                   {
                       ExactSum = () => row.SumOf(fact.Fact),
                       Exemplars = fact.Fact == RunFact.CpuTime ? readExemplars : null,
                   },
               }),
        ];
        return new PageRow
        {
            Id = route is null ? IdOf("work", row.Name) : IdOf("route", route.Method, route.Route),
            Name = row.Name,
            Method = route?.Method ?? "",
            Measured = row,
            Registrations = [.. all.Where(pair => pair.Fact.IsPlotted).Select(pair => pair.Registration)],
            SeriesNames = [.. all.Where(pair => pair.Fact.IsPlotted).Select(pair => pair.Fact.Name)],
            _recorded = all,
        };
    });

    /// <summary>Returns the row of a registered histogram, always the same object.</summary>
    public static PageRow FromRegistration(HdrHistogramRegistration registration) => Registered.GetValue(registration, Create);

    private static PageRow Create(HdrHistogramRegistration registration)
    {
        HdrHistogramDescription description = registration.Description;

        // Prometheus requires seconds. The page shows times in milliseconds unless they are recorded more coarsely than in seconds.
        HdrHistogramUnit unit = description.Unit;
        bool isTime = unit.Name == "seconds" && unit.Ratio >= 1;
        return new PageRow
        {
            Id = IdOf(["histogram", registration.Name, .. registration.Labels.SelectMany(label => new[] { label.Key, label.Value })]),
            Name = registration.ToString(),
            Registrations = [registration],
            Unit = isTime ? new() { Name = "ms", Ratio = unit.Ratio / 1000 } : unit,
        };
    }

    // FNV-1a, 64 bits (draft-eastlake-fnv). Deliberate collisions are not a risk, because the application chooses the names.
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

/// <summary>All current rows: first the routes, then named work, then the registered histograms.</summary>
internal sealed class PageRows(RouteTable routes, WorkMeter work, HdrHistogramRegistry registry)
{
    public RouteTable Routes => routes;

    public IReadOnlyList<PageRow> All =>
    [
        .. routes.All.Select(PageRow.FromRow), .. work.All.Select(PageRow.FromRow),
        .. registry.Registrations.Select(PageRow.FromRegistration),
    ];

    /// <summary>All histograms with their names and labels in the exposition.</summary>
    public IReadOnlyList<HdrHistogramRegistration> Exposed => [.. All.SelectMany(row => row.Exposed)];

    /// <summary>Returns the row with an ID; null if it does not exist.</summary>
    public PageRow? Find(string id) => All.FirstOrDefault(row => row.Id == id);
}
