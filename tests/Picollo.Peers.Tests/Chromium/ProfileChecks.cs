namespace Picollo.Peers.Tests.Chromium;

/// <summary>Helpers for the tests of the pages of profiles and of their differences.</summary>
internal static class ProfileChecks
{
    public const int Narrow = 390;
    public const int Wide = 1280;

    /// <summary>Checks pages at both widths in light mode, and the given ones also in dark mode.</summary>
    public static TheoryData<string, int, bool> Of(string[] names, string[] darkNames)
    {
        TheoryData<string, int, bool> looks = [];
        foreach (int width in new[] { Narrow, Wide })
        {
            foreach (string name in names)
            {
                looks.Add(name, width, false);
            }

            foreach (string name in darkNames)
            {
                looks.Add(name, width, true);
            }
        }

        return looks;
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
