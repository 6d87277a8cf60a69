using Picollo.AspNetCore.Requests;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Usage;

/// <summary>All current rows: first the routes, then the registered histograms.</summary>
internal sealed class Subjects(RouteTable routes, HdrHistogramRegistry registry)
{
    public IReadOnlyList<Subject> All => [.. routes.All.Select(Subject.Of), .. registry.Registrations.Select(Subject.Of)];

    /// <summary>Every histogram with the name and labels that it is exposed by; those of one name are adjacent.</summary>
    public IReadOnlyList<HdrHistogramRegistration> Registrations =>
        [.. All.SelectMany(subject => subject.Registrations.Index()).OrderBy(indexed => indexed.Index).Select(indexed => indexed.Item)];

    /// <summary>The subject with an ID; null if there is none.</summary>
    public Subject? Find(string id) => All.FirstOrDefault(subject => subject.Id == id);
}
