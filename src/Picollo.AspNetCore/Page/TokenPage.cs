using Picollo.Export.Html;

namespace Picollo.AspNetCore.Page;

/// <summary>Creates the page that asks for the token. Its script posts a token in the fragment of the address.</summary>
internal static class TokenPage
{
    public const string ContentSecurityPolicy =
        $"default-src 'none'; style-src '{HtmlAssets.StyleHash}'; script-src '{HtmlAssets.TokenScriptHash}'; img-src data:; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    /// <summary>The form has an explicit address, because a redirect would otherwise keep the fragment of the address.</summary>
    public static string Create(string instruction, string address) => $"""
        {HtmlPage.Head("Token required · Picollo", HtmlAssets.Style, icon: PageDocument.Icon)}<main>
        <h1>Token required</h1>
        <p>{Markup.Encode(instruction)}</p>
        <form method="post" action="{Markup.Encode(address)}">
        <label>Token: <input name="{PageToken.Name}" type="password" autocomplete="off" required></label>
        <button type="submit">Open</button>
        </form>
        </main>
        <script>{HtmlAssets.TokenScript}</script>
        </body>
        </html>

        """.ReplaceLineEndings("\n");
}
