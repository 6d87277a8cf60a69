namespace Picollo.Export.Plots;

/// <summary>What the pages that are written to a file have in common: they load nothing, and run only their own style and script.</summary>
internal static class PlotPage
{
    public const int LettersOfTitle = 160;

    /// <summary>The content-security policy of a page.</summary>
    /// <param name="styleHash">Of the style, as <c>sha256-…</c>. Written down and not computed: a hash needs OpenSSL on Linux, which
    /// small containers lack. A test reports those of a change.</param>
    /// <param name="scriptHash">Of the script.</param>
    public static string PolicyOf(string styleHash, string scriptHash) =>
        $"default-src 'none'; style-src '{styleHash}'; script-src '{scriptHash}'; base-uri 'none'; form-action 'none'";

    /// <summary>The page up to its content, with line feeds as line ends.</summary>
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
