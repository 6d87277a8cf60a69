using Picollo.Export.Plots;

namespace Picollo.Profiling.Output;

/// <summary>The pages of <see cref="CpuProfile.WriteHtml"/> and <see cref="CpuProfileDifference.WriteHtml"/>. Their script
/// draws the graph and the tables from the data in the page.</summary>
internal static class ProfilePage
{
    private const string StyleHash = "sha256-1FWFPtKhVu5qyFveHpbrU+IhiLTkELFgV9i0JgC+jYQ=";
    private const string ScriptHash = "sha256-adCmnlkkEUuGmAGBd2GD5HGrRBTBdjfd2auyXVkpXqk=";

    public static string ContentSecurityPolicy => PlotPage.PolicyOf(StyleHash, ScriptHash);

    public static string Style { get; } = PlotTooltips.Style + PlotPalette.PageStyle + Load("flame-graph.css") + Load("profile-page.css");

    public static string Script { get; } = Load("flame-graph.js") + Load("profile-page.js");

    private static readonly string Views = Load("profile-page.html");

    public static void Write(TextWriter output, ProfileData profile) =>
        Write(output, ProfileText.Title(profile), [new ProfilePart("", profile)]);

    /// <summary>Writes a page of several profiles.</summary>
    /// <param name="output">The writer.</param>
    /// <param name="title">The heading.</param>
    /// <param name="parts">The profiles. The first one is shown first, unless the fragment of the page's address names another.</param>
    /// <param name="links">HTML below the heading.</param>
    public static void Write(TextWriter output, string title, IReadOnlyList<ProfilePart> parts, string links = "")
    {
        string kind = KindOf(parts[0].Profile);
        Write(output, title, kind, $"{kind}{Started(parts[0].Profile)}", [.. parts.Select(PagePart.Of)], links);
    }

    /// <summary>Writes a page of several differences.</summary>
    /// <inheritdoc cref="Write(TextWriter, string, IReadOnlyList{ProfilePart}, string)"/>
    public static void Write(TextWriter output, string title, IReadOnlyList<DifferencePart> parts, string links = "")
    {
        DifferenceData first = parts[0].Difference;
        string kind = $"{KindOf(first.After)}s";
        string about = $"Difference of two {kind}: before{Started(first.Before)}; after{Started(first.After)}";
        Write(output, title, $"difference of {kind}", about, [.. parts.Select(PagePart.Of)], links);
    }

    private static void Write(TextWriter output, string title, string kind, string about, IReadOnlyList<PagePart> parts, string links)
    {
        title = PlotText.Encode(PlotText.Shorten(title, PlotPage.MaxTitleLength));
        string views = $"<p class=\"none\" id=\"none\"><b>No samples.</b> {PlotText.Encode(parts[0].NoSamplesReason ?? "")}</p>\n";
        string scripts = "";
        IReadOnlyList<string> notes = parts[0].Notes;
        if (parts.Any(part => part.NoSamplesReason is null))
        {
            string data = ProfilePageData.Of(parts, out IReadOnlyList<string>[] notesOfParts);
            notes = notesOfParts[0];
            views = (parts.Count > 1 ? views : "") + Views;
            scripts = $"<script type=\"application/json\" id=\"profile\">{data}</script>\n<script>{Script}</script>\n";
        }

        output.Write(PlotPage.Head($"{title} · {kind}", ContentSecurityPolicy, Style));
        output.Write(
            $"""
            <header>
            <h1>{title}</h1>
            <p>{about}</p>
            {links}</header>
            {Choice(parts)}<dl id="facts">
            {string.Concat(parts[0].Facts.Select(Fact))}</dl>
            {NoteList(notes, isKept: parts.Count > 1)}{views}</main>
            <div id="tip" hidden></div>
            {scripts}</body>
            </html>

            """.ReplaceLineEndings("\n"));
    }

    private static string KindOf(ProfileData profile) => PlotText.Encode(ProfileText.Kind(profile));

    private static string Started(ProfileData profile) => profile.StartTimeUtc == default
        ? ", start unknown"
        : string.Create(CultureInfo.InvariantCulture, $", started {profile.StartTimeUtc:yyyy-MM-dd HH:mm:ss} UTC");

    private static string Choice(IReadOnlyList<PagePart> parts)
    {
        const int MaxNameLength = 120;
        if (parts.Count == 1)
        {
            return "";
        }

        string options = string.Concat(parts.Select((part, i) =>
            $"<option value=\"{i}\">{PlotText.Encode(PlotText.Shorten(part.Name, MaxNameLength))}</option>\n"));
        return $"<p class=\"choice\"><label>Show <select id=\"part\" autocomplete=\"off\">\n{options}</select></label></p>\n";
    }

    private static string Fact((string Name, string Value, string Detail) fact)
    {
        string detail = fact.Detail.Length == 0 ? "" : $" <small>{PlotText.Encode(fact.Detail)}</small>";
        return $"<div><dt>{PlotText.Encode(fact.Name)}</dt><dd>{PlotText.Encode(fact.Value)}{detail}</dd></div>\n";
    }

    private static string NoteList(IEnumerable<string> notes, bool isKept)
    {
        string items = string.Concat(notes.Select(note => $"<li>{PlotText.Encode(note)}</li>\n"));
        return items.Length > 0 || isKept ? $"<ul class=\"notes\" id=\"notes\">{items}</ul>\n" : "";
    }

    private static string Load(string name)
    {
        using Stream stream = typeof(ProfilePage).Assembly.GetManifestResourceStream(name)!;
        using StreamReader reader = new(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}
