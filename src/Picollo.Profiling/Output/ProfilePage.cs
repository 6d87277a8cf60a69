using Picollo.Export.Plots;

namespace Picollo.Profiling.Output;

/// <summary>The page of <see cref="CpuProfile.WriteHtml"/>. Its script draws the graph and the tables from the data in the page.</summary>
internal static class ProfilePage
{
    private const string StyleHash = "sha256-rG6h3YDo4HDKJTYc+MzCroDc72bTreT2ppjJgiULcjM=";
    private const string ScriptHash = "sha256-DgzqbwAOp8LJr8bt1cpWgh60hK8SNQ498PHD4MCHxK8=";

    public static string ContentSecurityPolicy => PlotPage.PolicyOf(StyleHash, ScriptHash);

    public static string Style { get; } = PlotTooltips.Style + PlotPalette.PageStyle + Load("flame-graph.css") + Load("profile-page.css");

    public static string Script { get; } = Load("flame-graph.js") + Load("profile-page.js");

    private static readonly string Views = Load("profile-page.html");

    public static void Write(TextWriter output, CpuProfile profile)
    {
        string title = PlotText.Encode(PlotText.Shorten(profile.Title, PlotPage.LettersOfTitle));
        string views = $"<p class=\"none\"><b>No samples.</b> {PlotText.Encode(ProfileText.ReasonOfNone(profile))}</p>\n";
        string scripts = "";
        IEnumerable<string> notes = profile.Notes;
        if (profile.SampleCount > 0)
        {
            (string data, string note) = ProfilePageData.Of(profile);
            views = Views;
            scripts = $"<script type=\"application/json\" id=\"profile\">{data}</script>\n<script>{Script}</script>\n";
            notes = note.Length == 0 ? notes : notes.Append(note);
        }

        output.Write(PlotPage.Head($"{title} · CPU profile", ContentSecurityPolicy, Style));
        output.Write(
            $"""
            <header>
            <h1>{title}</h1>
            <p>{string.Create(CultureInfo.InvariantCulture, $"CPU profile, started {profile.StartTimeUtc:yyyy-MM-dd HH:mm:ss}")} UTC</p>
            </header>
            <dl>
            {string.Concat(Facts(profile).Select(Fact))}</dl>
            {NoteList(notes)}{views}</main>
            <div id="tip" hidden></div>
            {scripts}</body>
            </html>

            """.ReplaceLineEndings("\n"));
    }

    private static (string Name, string Value, string Detail)[] Facts(CpuProfile profile) =>
    [
        ("Samples", profile.SampleCount.ToString("N0", CultureInfo.InvariantCulture), ""),
        ("CPU time", ProfileText.Time(profile.CpuUsage.Total), $"{ProfileText.Time(profile.CpuUsage.Kernel)} in the kernel"),
        ("Duration", ProfileText.Time(profile.Duration), ""),
        ("Frequency", string.Create(CultureInfo.InvariantCulture, $"{profile.Frequency:N0} Hz"), "of CPU time"),
        ("Event", PlotText.Shorten(profile.EventName, 30), profile.IncludesKernel ? "" : "without the kernel"),
        Counted("Lost", profile.LostSampleCount, profile.SampleCount + profile.LostSampleCount),
        Counted("Unnamed", profile.UnnamedSampleCount, profile.SampleCount),
    ];

    private static (string Name, string Value, string Detail) Counted(string name, long count, long all) =>
        (name, count.ToString("N0", CultureInfo.InvariantCulture), ProfileText.Share(count, all) + " of samples");

    private static string Fact((string Name, string Value, string Detail) fact)
    {
        string detail = fact.Detail.Length == 0 ? "" : $" <small>{fact.Detail}</small>";
        return $"<div><dt>{fact.Name}</dt><dd>{PlotText.Encode(fact.Value)}{detail}</dd></div>\n";
    }

    private static string NoteList(IEnumerable<string> notes)
    {
        string items = string.Concat(notes.Select(note => $"<li>{PlotText.Encode(note)}</li>\n"));
        return items.Length == 0 ? "" : $"<ul class=\"notes\">\n{items}</ul>\n";
    }

    private static string Load(string name)
    {
        using Stream stream = typeof(ProfilePage).Assembly.GetManifestResourceStream(name)!;
        using StreamReader reader = new(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}
