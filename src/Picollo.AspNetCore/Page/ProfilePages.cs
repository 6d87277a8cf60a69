using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Profiles;
using Picollo.Cpu;
using Picollo.Export.Html;
using Picollo.Export.Text;
using Picollo.Profiling;
using Picollo.Profiling.Output;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Waits;

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

    /// <summary>Creates the page of waits.</summary>
    public static string Waits(StoredWaits stored, string application, string address)
    {
        WaitProfile waits = stored.Waits;
        string name = Markup.Encode(FittedText.Shorten(application, HtmlPage.MaxTitleLength));
        string notes = string.Concat(waits.Notes.Select(note => $"<p class=\"nothing\">{Markup.Encode(note)}</p>\n"));
        return $"""
            {HtmlPage.Head($"{name} · waits", HtmlAssets.Style, icon: PageDocument.Icon)}<main>
            <header>
            <h1>{name}: waits</h1>
            <p>{TimeOf(waits.StartTime)}, {Quantity.Time(waits.Duration.TotalNanoseconds)} · {BackTo(address)}</p>
            </header>
            {PageTables.Waits(waits)}<p class="nothing">The runtime reports waits for locks, for tasks and for other objects of threads.
            Sleeps, synchronous I/O and what a method awaits are not here, only in the table of states. The row (no request) has
            threads that run no request.</p>
            {notes}</main>
            </body>
            </html>

            """.ReplaceLineEndings("\n");
    }

    /// <summary>Creates the buttons that take profiles, and the links to those that were taken.</summary>
    public static string Section(CpuProfiles profiles, string address)
    {
        StringBuilder html = new("<section id=\"profiles\">\n<h2>Profiles</h2>\n");
        Write(
            PageEndpoints.ProfileParameter,
            "Profile",
            address,
            "Shows where the CPU time goes, by route and method.",
            [.. profiles.All.Select(stored => (
                stored.Id, stored.Profile.StartTime, $"{Quantity.Count(stored.Profile.SampleCount ?? 0)} samples"))]);
        Write(
            PageEndpoints.WaitsParameter,
            "Waits",
            $"{address}?{PageEndpoints.WaitsParameter}",
            "Shows what requests wait for, by route and method.",
            [.. profiles.AllWaits.Select(stored => (
                stored.Id, (DateTimeOffset?)stored.Waits.StartTime, $"{Quantity.Count(stored.Waits.Rows.Sum(row => row.Count))} waits"))]);
        return html.Append("</section>\n").ToString();

        void Write(string id, string name, string action, string about, IReadOnlyList<(string Id, DateTimeOffset? Start, string Size)> all)
        {
            html.Append(
                CultureInfo.InvariantCulture,
                $"""
                <form id="{id}" class="take" method="post" action="{action}">
                <button type="submit">{name} {CpuProfiles.Duration.TotalSeconds:0} s</button>
                <span role="status">{about}</span></form>

                """);
            html.Append(all.Count == 0 ? "" : "<ul>\n");
            foreach ((string stored, DateTimeOffset? start, string size) in all)
            {
                html.Append(CultureInfo.InvariantCulture, $"<li><a href=\"?{id}={stored}\">{TimeOf(start)}</a>, {size}</li>\n");
            }

            html.Append(all.Count == 0 ? "" : "</ul>\n");
        }
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
