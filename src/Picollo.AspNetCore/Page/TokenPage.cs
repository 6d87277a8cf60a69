using Picollo.Export.Plots;

namespace Picollo.AspNetCore.Page;

/// <summary>Creates the page that asks for the token. Its script posts a token in the fragment of the address.</summary>
internal static class TokenPage
{
    /// <summary>Creates the HTML.</summary>
    /// <param name="instruction">The text that explains how to open the page.</param>
    /// <param name="address">The address to which the form is posted. It is set explicitly, because a redirect would otherwise keep the
    /// fragment of the address.</param>
    public static string Of(string instruction, string address) => $"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Token required · Picollo</title>
        <link rel="icon" href="{PageDocument.Icon}">
        <style>{PageAssets.Style}</style>
        </head>
        <body>
        <main>
        <h1>Token required</h1>
        <p>{PlotText.Encode(instruction)}</p>
        <form method="post" action="{PlotText.Encode(address)}">
        <label>Token: <input name="{PageToken.Name}" type="password" autocomplete="off" required></label>
        <button type="submit">Open</button>
        </form>
        </main>
        <script>{PageAssets.TokenScript}</script>
        </body>
        </html>

        """.ReplaceLineEndings("\n");
}
