namespace Picollo.Export.Plots;

/// <summary>The common parts of pages that are written to files. They load nothing, and run only their own style and script.</summary>
internal static class PlotPage
{
    public const int MaxTitleLength = 160;

    /// <summary>Returns the content-security policy of a page.</summary>
    /// <param name="styleHash">The hash of the style, as <c>sha256-…</c>. It is a constant instead of being computed, because hashing needs
    /// OpenSSL on Linux, which small containers lack. A test reports the new hash after a change.</param>
    /// <param name="scriptHash">The hash of the script.</param>
    public static string PolicyOf(string styleHash, string scriptHash) =>
        $"default-src 'none'; style-src '{styleHash}'; script-src '{scriptHash}'; base-uri 'none'; form-action 'none'";

    /// <summary>Returns the page up to its content. Lines end in LF.</summary>
    /// <param name="title">The title of the window, encoded.</param>
    /// <param name="policy">The content-security policy.</param>
    /// <param name="style">The style sheet.</param>
    public static string Head(string title, string policy, string style) =>
        $"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="{policy}">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{title}</title>
        <style>{style}</style>
        </head>
        <body>
        <main>

        """.ReplaceLineEndings("\n");
}
