using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Profiles;
using Picollo.Cpu;
using Picollo.Export.Html;
using Picollo.Profiling;
using Picollo.Profiling.Output;
using Picollo.Profiling.Sampling;

namespace Picollo.AspNetCore.Page;

internal static class ProfilePages
{
    /// <summary>Creates the page of a profile, with parts for the whole process and for each route.</summary>
    public static string Of(StoredProfile stored, IReadOnlyList<StoredProfile> all, string application, string address)
    {
        StringBuilder links = new(BackTo(address));
        links.Append(
            CultureInfo.InvariantCulture,
            $" · <a href=\"?{PageEndpoints.ProfileParameter}={stored.Id}&amp;{PageEndpoints.PprofParameter}\" download>"
            + $"Download for pprof</a>");
        foreach (StoredProfile other in all.Where(other => other != stored))
        {
            links.Append(
                CultureInfo.InvariantCulture,
                $" · <a href=\"?{PageEndpoints.ProfileParameter}={stored.Id}&amp;{PageEndpoints.CompareParameter}={other.Id}\">"
                + $"Compare with {TimeOf(other.Profile.StartTime)}</a>");
        }

        ProfilePart[] parts =
        [
            new("whole process", stored.Profile.Data),
            .. stored.Profile.SplitByRoute().Select(part => new ProfilePart(NameOf(part), part.Data, stored.Profile.Data)),
        ];
        return Write(output => ProfilePage.Write(output, application, parts, links.ToString()));
    }

    /// <summary>Creates the page that compares two profiles, the earlier with the later one, with parts for the routes that both
    /// contain.</summary>
    public static string Difference(StoredProfile one, StoredProfile other, string application, string address)
    {
        (CpuProfile before, CpuProfile after) = one.Profile.StartTime <= other.Profile.StartTime
            ? (one.Profile, other.Profile)
            : (other.Profile, one.Profile);
        Dictionary<string, CpuProfile> routes = before.SplitByRoute().ToDictionary(NameOf);
        DifferenceData whole = new(before.Data, after.Data);
        DifferencePart[] parts =
        [
            new("whole process", whole),
            .. after.SplitByRoute().Where(part => routes.ContainsKey(NameOf(part)))
                .Select(part => new DifferencePart(NameOf(part), new(routes[NameOf(part)].Data, part.Data), whole)),
        ];
        string title = $"{application}, {TimeOf(before.StartTime)} and {TimeOf(after.StartTime)}";
        return Write(output => ProfilePage.Write(output, title, parts, BackTo(address)));
    }

    public static string OverBudget(FlowLabel label, IEnumerable<(KeptFlow Flow, CpuProfile Profile)> requests, string address)
    {
        ProfilePart[] parts = [.. requests.Select(request => new ProfilePart(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{TimeOf(request.Flow.EndTimeUtc)}: {request.Flow.CpuUsage.Total.TotalMilliseconds:N0} ms of CPU time in "
                + $"{request.Flow.WallTime.TotalMilliseconds:N0} ms"),
            request.Profile.Data))];
        string title = $"Requests to {label} above the CPU budget";
        return Write(output => ProfilePage.Write(output, title, parts, BackTo(address)));
    }

    public static string Section(CpuProfiles profiles, string address)
    {
        StringBuilder html = new();
        html.Append(
            CultureInfo.InvariantCulture,
            $"""
            <section id="profiles">
            <h2>CPU profiles</h2>
            <form id="profile" method="post" action="{address}">
            <button type="submit">Profile {CpuProfiles.Duration.TotalSeconds:0} s</button>
            <span role="status">Shows where the CPU time goes, by route and method.</span></form>

            """);
        IReadOnlyList<StoredProfile> all = profiles.All;
        if (all.Count > 0)
        {
            html.Append("<ul>\n");
            foreach (StoredProfile stored in all)
            {
                html.Append(
                    CultureInfo.InvariantCulture,
                    $"<li><a href=\"?{PageEndpoints.ProfileParameter}={stored.Id}\">{TimeOf(stored.Profile.StartTime)}</a>, "
                    + $"{stored.Profile.SampleCount:N0} samples</li>\n");
            }

            html.Append("</ul>\n");
        }

        return html.Append("</section>\n").ToString();
    }

    /// <summary>Returns the name of a part. Routes and named work have different names.</summary>
    private static string NameOf(CpuProfile part) =>
        $"{part.Label}{(part is { HttpMethod: null, Route: not (CpuProfile.NoRequest or RouteTable.OwnPage) } ? " (named work)" : "")}";

    private static string BackTo(string address) => $"<a href=\"{Markup.Encode(address)}\">Back to the routes</a>";

    private static string TimeOf(DateTimeOffset? time) => string.Create(CultureInfo.InvariantCulture, $"{time:HH:mm:ss} UTC");

    private static string Write(Action<TextWriter> write)
    {
        using StringWriter text = new(CultureInfo.InvariantCulture);
        write(text);
        return text.ToString();
    }
}
