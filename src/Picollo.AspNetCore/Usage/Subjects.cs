using Picollo.AspNetCore.Requests;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Usage;

/// <summary>All that has a row at present: the routes, and then the registered histograms.</summary>
internal sealed class Subjects(RouteTable routes, HdrHistogramRegistry registry)
{
    public IReadOnlyList<Subject> All => [.. routes.All.Select(Subject.Of), .. registry.Registrations.Select(Subject.Of)];

    /// <summary>The subject with an id; null where there is none.</summary>
    public Subject? Find(string id) => All.FirstOrDefault(subject => subject.Id == id);

    /// <summary>Every histogram with the name and the labels that it is exposed by, those of one name together.</summary>
    public IReadOnlyList<HdrHistogramRegistration> Registrations
    {
        get
        {
            IReadOnlyList<Subject> all = All;
            int most = all.Select(subject => subject.Registrations.Count).DefaultIfEmpty().Max();
            return [.. Enumerable.Range(0, most).SelectMany(place => all
                .Where(subject => subject.Registrations.Count > place)
                .Select(subject => subject.Registrations[place]))];
        }
    }
}
