using Picollo.Export.Html;
using Picollo.Export.Text;

namespace Picollo.Profiling.Output;

/// <summary>The pages of <see cref="CpuProfile.WriteHtml"/> and <see cref="CpuProfileDifference.WriteHtml"/>. Their script
/// draws the graph and the tables from the data in the page.</summary>
internal static class ProfilePage
{
    public static string ContentSecurityPolicy => HtmlPage.PolicyOf(HtmlAssets.StyleHash, HtmlAssets.ScriptHash);

    public static void Write(TextWriter output, ProfileData profile) =>
        Write(output, ProfileText.Title(profile), [new ProfilePart("", profile)]);

    /// <summary>Writes a page of several profiles. The first is shown first, unless the fragment of the page's address names another. The
    /// links are HTML below the heading.</summary>
    public static void Write(TextWriter output, string title, IReadOnlyList<ProfilePart> parts, string links = "")
    {
        string kind = KindOf(parts[0].Profile);
        Write(output, title, kind, $"{kind}{Started(parts[0].Profile)}", [.. parts.Select(ProfilePagePart.From)], links);
    }

    /// <summary>Writes a page of several differences.</summary>
    /// <inheritdoc cref="Write(TextWriter, string, IReadOnlyList{ProfilePart}, string)"/>
    public static void Write(TextWriter output, string title, IReadOnlyList<DifferencePart> parts, string links = "")
    {
        DifferenceData first = parts[0].Difference;
        string kind = $"{KindOf(first.After)}s";
        string about = $"Difference of two {kind}: before{Started(first.Before)}; after{Started(first.After)}";
        Write(output, title, $"difference of {kind}", about, [.. parts.Select(ProfilePagePart.From)], links);
    }

    private static void Write(
        TextWriter output, string title, string kind, string about, IReadOnlyList<ProfilePagePart> parts, string links)
    {
        title = Markup.Encode(FittedText.Shorten(title, HtmlPage.MaxTitleLength));
        string views = $"<p class=\"none\" id=\"none\"><b>No samples.</b> {Markup.Encode(parts[0].NoSamplesReason ?? "")}</p>\n";
        string scripts = "";
        IReadOnlyList<string> notes = parts[0].Notes;
        if (parts.Any(part => part.NoSamplesReason is null))
        {
            string data = ProfilePageData.Serialize(parts, out IReadOnlyList<string>[] notesOfParts);
            notes = notesOfParts[0];
            views = (parts.Count > 1 ? views : "") + HtmlAssets.Views;
            scripts = $"<script type=\"application/json\" id=\"profile\">{data}</script>\n<script>{HtmlAssets.Script}</script>\n";
        }

        output.Write(HtmlPage.Head($"{title} · {kind}", HtmlAssets.Style, ContentSecurityPolicy));
        output.Write(
            $"""
            <main>
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

    private static string KindOf(ProfileData profile) => Markup.Encode(ProfileText.Kind(profile));

    private static string Started(ProfileData profile) => profile.StartTime is { } start
        ? string.Create(CultureInfo.InvariantCulture, $", started {start:yyyy-MM-dd HH:mm:ss} UTC")
        : ", start unknown";

    private static string Choice(IReadOnlyList<ProfilePagePart> parts)
    {
        const int MaxNameLength = 120;
        if (parts.Count == 1)
        {
            return "";
        }

        string options = string.Concat(parts.Select((part, i) =>
            $"<option value=\"{i}\">{Markup.Encode(FittedText.Shorten(part.Name, MaxNameLength))}</option>\n"));
        return $"<p class=\"choice\"><label>Show <select id=\"part\" autocomplete=\"off\">\n{options}</select></label></p>\n";
    }

    private static string Fact((string Name, string Value, string Detail) fact)
    {
        string detail = fact.Detail.Length == 0 ? "" : $" <small>{Markup.Encode(fact.Detail)}</small>";
        return $"<div><dt>{Markup.Encode(fact.Name)}</dt><dd>{Markup.Encode(fact.Value)}{detail}</dd></div>\n";
    }

    private static string NoteList(IEnumerable<string> notes, bool isKept)
    {
        string items = string.Concat(notes.Select(note => $"<li>{Markup.Encode(note)}</li>\n"));
        return items.Length > 0 || isKept ? $"<ul class=\"notes\" id=\"notes\">{items}</ul>\n" : "";
    }
}
