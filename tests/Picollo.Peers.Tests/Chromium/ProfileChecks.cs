namespace Picollo.Peers.Tests.Chromium;

/// <summary>Helpers for the tests of the pages of profiles and of their differences.</summary>
internal static class ProfileChecks
{
    public const int Narrow = 390;
    public const int Wide = 1280;

    /// <summary>Checks the current page at both widths in light and dark mode, with each of its tables.</summary>
    public static async Task CheckLooksAsync(this Browser browser, string kind, string name)
    {
        foreach ((int width, bool isDark) in new[] { (Narrow, false), (Narrow, true), (Wide, true), (Wide, false) })
        {
            await browser.Page.ResizeAsync(width, 900, isDark);
            await browser.Page.WaitForFrameAsync();
            await browser.CheckTablesAsync(kind, name, width, isDark);
        }
    }

    /// <summary>Checks the current page with each of its tables.</summary>
    public static async Task CheckTablesAsync(this Browser browser, string kind, string name, int width, bool isDark)
    {
        foreach (string tab in name == "empty" ? [""] : new[] { "functions", "calls", "callers" })
        {
            if (tab.Length > 0)
            {
                await browser.SelectTabAsync(tab);
                (await browser.NumberAsync($"document.querySelectorAll('#{tab} tbody tr').length")).Should().BePositive();
            }

            await browser.CheckAsync($"{kind}-{name}-{tab}", width, isDark);
        }
    }

    /// <summary>Checks the current page and writes a screenshot of it.</summary>
    public static async Task CheckAsync(this Browser browser, string picture, int width, bool isDark)
    {
        await browser.KeepAsync($"{picture}-{width}-{(isDark ? "dark" : "light")}");
        (await browser.TextsAsync(Checks.Faults)).Should().BeEmpty();
        (await browser.TextsAsync(Checks.FaintTexts)).Should().BeEmpty("WCAG 2.2, 1.4.3");
        browser.Page.Complaints.Should().BeEmpty();
    }
}
