using System.Text.Json.Nodes;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Evaluates expressions in the page that a browser shows.</summary>
internal static class Expressions
{
    public static async Task<string> TextAsync(this Browser browser, string expression) => (string)(await browser.Page.EvaluateAsync(expression))!;

    public static async Task<string[]> TextsAsync(this Browser browser, string expression) =>
        [.. ((JsonArray)(await browser.Page.EvaluateAsync(expression))!).Select(text => (string)text!)];

    public static async Task<double> NumberAsync(this Browser browser, string expression) => (double)(await browser.Page.EvaluateAsync(expression))!;

    public static async Task<bool> IsTrueAsync(this Browser browser, string expression) => (bool)(await browser.Page.EvaluateAsync(expression))!;

    /// <summary>Returns the facts on the page of a profile.</summary>
    public static Task<string> FactsAsync(this Browser browser) =>
        browser.TextAsync("document.getElementById('facts').innerText.replace(/\\s+/g, ' ')");

    public static Task SearchAsync(this Browser browser, string text) => browser.Page.EvaluateAsync(
        $"(() => {{ const field = document.getElementById('search'); field.value = '{text}'; field.dispatchEvent(new Event('input')); }})()");

    /// <summary>Returns the rows of a table of a profile: the function, and the bold numbers of its cells.</summary>
    public static Task<string[]> RowsAsync(this Browser browser, string tab) => browser.TextsAsync(
        $$"""
        [...document.querySelectorAll("#{{tab}} tbody tr")].map(row => [row.querySelector("bdi"), ...row.querySelectorAll("td b")].map(one => one.textContent).join(" | "))
        """);

    public static Task SelectTabAsync(this Browser browser, string tab) => browser.Page.EvaluateAsync($"document.getElementById('{tab}-tab').click()");
}
