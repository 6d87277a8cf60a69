using Picollo.Export.Plots;

namespace Picollo.AspNetCore.Page;

/// <summary>The page's style and script. A change of either needs its hash; a test tells it.</summary>
internal static class PageAssets
{
    // Written down and not computed: a hash needs OpenSSL on Linux, which small containers lack.
    private const string StyleHash = "sha256-N9Y/+V8d6hKSldspD5Jwg1dTF847ttg4bImSHDiI5EY=";
    private const string ScriptHash = "sha256-VKmTpCpdI84UaTHCgtE/46VWHMkbaP4VXASk/sbtuk0=";

    /// <summary>Allows this style, this script, the icon and requests and the form to where the page came from, and nothing else; no
    /// frames.</summary>
    public const string ContentSecurityPolicy =
        $"default-src 'none'; style-src '{StyleHash}'; script-src '{ScriptHash}'; connect-src 'self'; img-src data:; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    public static string Style { get; } = PlotTooltips.Style + PlotPalette.DarkStyle + Load("page.css");

    public static string Script { get; } = PlotTooltips.Script + Load("page.js");

    private static string Load(string name)
    {
        using Stream stream = typeof(PageAssets).Assembly.GetManifestResourceStream(name)!;
        using StreamReader reader = new(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}
