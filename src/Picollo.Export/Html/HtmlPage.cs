namespace Picollo.Export.Html;

/// <summary>The common parts of HTML pages. A page loads nothing, and runs only its own style and script (<c>HtmlAssets</c>).</summary>
internal static class HtmlPage
{
    public const int MaxTitleLength = 160;

    /// <summary>Returns the content-security policy of a page that is written to a file.</summary>
    /// <param name="styleHash">The hash of the style, as <c>sha256-…</c>.</param>
    /// <param name="scriptHash">The hash of the script.</param>
    public static string PolicyOf(string styleHash, string scriptHash) =>
        $"default-src 'none'; style-src '{styleHash}'; script-src '{scriptHash}'; base-uri 'none'; form-action 'none'";

    /// <summary>Returns the page up to the content of its body. Lines end in LF.</summary>
    /// <param name="title">The title of the window, encoded.</param>
    /// <param name="style">The style sheet.</param>
    /// <param name="policy">The content-security policy; empty if the server sends it in a header.</param>
    /// <param name="icon">The address of the icon; empty for none.</param>
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
