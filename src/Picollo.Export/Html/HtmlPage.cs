namespace Picollo.Export.Html;

/// <summary>The common parts of HTML pages. A page loads nothing, and runs only its own style and script (<c>HtmlAssets</c>).</summary>
internal static class HtmlPage
{
    public const int MaxTitleLength = 160;

    /// <summary>Returns the content-security policy of a page that is written to a file, from hashes such as <c>sha256-…</c>.</summary>
    public static string PolicyOf(string styleHash, string scriptHash) =>
        $"default-src 'none'; style-src '{styleHash}'; script-src '{scriptHash}'; base-uri 'none'; form-action 'none'";

    /// <summary>Returns the page up to the content of its body. Lines end in LF. The title is encoded. The policy is empty if the server
    /// sends it in a header, and the icon is empty for none.</summary>
    public static string Head(string title, string style, string policy = "", string icon = "")
    {
        string meta = policy.Length == 0 ? "" : $"<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n";
        string link = icon.Length == 0 ? "" : $"<link rel=\"icon\" href=\"{icon}\">\n";
        return $"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            {meta}<meta name="viewport" content="width=device-width, initial-scale=1">
            <title>{title}</title>
            {link}<style>{style}</style>
            </head>
            <body>

            """.ReplaceLineEndings("\n");
    }
}
