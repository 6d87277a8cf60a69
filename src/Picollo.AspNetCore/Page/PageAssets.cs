using Picollo.Export.Plots;

namespace Picollo.AspNetCore.Page;

/// <summary>The page's style and scripts. After a change of one of them, update its hash; a failing test prints the new value.</summary>
internal static class PageAssets
{
    // Constants, because computing a hash requires OpenSSL on Linux, which small containers do not have.
    private const string StyleHash = "sha256-sJDToZLcxEymOuJghKYAVSGTw5XIc3wb38oKb918Ivw=";
    private const string ScriptHash = "sha256-IT32w3wUgWhcJC5fwIH0pOFhOmiGOP1OoFpWDYVoXVE=";

    private const string TokenScriptHash = "sha256-vIOt7dEsJWykveb1/tR60BFLtZHjQwcrhZkl8yYmTVs=";

    /// <summary>The policy. It allows only this style, this script, the icon, and requests and forms to the origin of the page. Frames are
    /// forbidden.</summary>
    public const string ContentSecurityPolicy =
        $"default-src 'none'; style-src '{StyleHash}'; script-src '{ScriptHash}'; connect-src 'self'; img-src data:; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    /// <summary>The policy of the page that asks for the token.</summary>
    public const string TokenPagePolicy =
        $"default-src 'none'; style-src '{StyleHash}'; script-src '{TokenScriptHash}'; img-src data:; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    public static string Style { get; } = PlotTooltips.Style + PlotPalette.DarkStyle + Load("page.css");

    public static string Script { get; } = PlotTooltips.Script + Load("page.js");

    public static string TokenScript { get; } = Load("token.js");

    private static string Load(string name)
    {
        using Stream stream = typeof(PageAssets).Assembly.GetManifestResourceStream(name)!;
        using StreamReader reader = new(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}
