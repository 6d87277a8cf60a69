using System.Text.Json.Nodes;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests of pages in a browser. With <c>PICOLLO_APPROVE=1</c>, screenshots for manual review are written to
/// artifacts/test-results/chromium.</summary>
public abstract class BrowserTests(Browser browser) : IClassFixture<Browser>
{
    private protected const int Narrow = 390;
    private protected const int Wide = 1280;

    /// <summary>Both widths and both color schemes. Layout does not depend on colors, and colors do not depend on the width.</summary>
    private protected static readonly (int Width, bool IsDark)[] Looks = [(Narrow, false), (Wide, true)];

    private protected Browser Browser => browser;

    private protected DevTools Page => browser.Page;

    private protected Task EvaluateAsync(string expression) => Page.EvaluateAsync(expression);

    private protected async Task<string> TextAsync(string expression) => (string)(await Page.EvaluateAsync(expression))!;

    private protected async Task<string[]> TextsAsync(string expression) =>
        [.. ((JsonArray)(await Page.EvaluateAsync(expression))!).Select(text => (string)text!)];

    private protected async Task<double> NumberAsync(string expression) => (double)(await Page.EvaluateAsync(expression))!;

    private protected async Task<bool> IsTrueAsync(string expression) => (bool)(await Page.EvaluateAsync(expression))!;

    private protected async Task UntilAsync(string condition)
    {
        for (int attempt = 0; attempt < 600; attempt++)
        {
            try
            {
                if (await IsTrueAsync($"Boolean({condition})"))
                {
                    return;
                }
            }
            catch (InvalidOperationException)
            {
                // Between two pages, expressions cannot be evaluated.
            }

            await Task.Delay(100);
        }

        throw new TimeoutException($"never: {condition}; {await TextAsync("document.body.innerText")}");
    }

    private protected async Task ResizeAsync(int width, bool isDark)
    {
        await Page.ResizeAsync(width, 900, isDark);
        await Page.WaitForFrameAsync();
    }

    private protected async Task WithoutScriptsAsync(Func<Task> run)
    {
        await Page.SendAsync("Emulation.setScriptExecutionDisabled", new() { ["value"] = true });
        try
        {
            await run();
        }
        finally
        {
            await Page.SendAsync("Emulation.setScriptExecutionDisabled", new() { ["value"] = false });
        }
    }

    /// <summary>Moves the pointer into an element.</summary>
    private protected async Task PointAtAsync(string element)
    {
        JsonNode place = (await Page.EvaluateAsync($"(() => {{ const r = {element}.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; }})()"))!;
        await Page.MoveMouseAsync((double)place[0]!, (double)place[1]!);
    }

    /// <summary>Returns the text of the tooltip, which must be within the window, or an empty text if there is none.</summary>
    private protected async Task<string> TipAsync()
    {
        const string Tip = "document.getElementById('tip')";
        (await IsTrueAsync($"(() => {{ const r = {Tip}.getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight; }})()"))
            .Should().BeTrue();
        return await TextAsync($"{Tip}.hidden ? '' : {Tip}.textContent");
    }

    private protected async Task ShouldForbidOtherScriptsAsync()
    {
        (await IsTrueAsync(
            "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s); return window.ran ?? false; })()"))
            .Should().BeFalse();
        Page.Complaints.Should().Contain(complaint => complaint.Contains("Content Security Policy"));
    }

    /// <summary>Checks the page of a profile or difference in all looks, with each of its tables.</summary>
    private protected async Task CheckLooksAsync(string picture, bool isEmpty = false)
    {
        foreach ((int width, bool isDark) in Looks)
        {
            await ResizeAsync(width, isDark);
            foreach (string tab in isEmpty ? [""] : new[] { "functions", "calls", "callers" })
            {
                if (tab.Length > 0)
                {
                    await SelectTabAsync(tab);
                    (await NumberAsync($"document.querySelectorAll('#{tab} tbody tr').length")).Should().BePositive();
                }

                await CheckAsync($"{picture}-{tab}-{width}");
            }
        }
    }

    /// <summary>Checks the current page and writes a screenshot of it.</summary>
    private protected async Task CheckAsync(string picture)
    {
        await browser.KeepAsync(picture);
        (await TextsAsync(Checks.Faults)).Should().BeEmpty();
        (await TextsAsync(Checks.FaintTexts)).Should().BeEmpty("WCAG 2.2, 1.4.3");
        Page.Complaints.Should().BeEmpty();
    }

    /// <summary>Checks a flame graph without a page in both color schemes.</summary>
    private protected async Task CheckPictureAsync(Action<TextWriter> write)
    {
        using StringWriter svg = new();
        write(svg);
        foreach (bool isDark in new[] { false, true })
        {
            (await browser.ShowAsync("profile.svg", svg.ToString(), Wide, isDark)).Should().BeEmpty();
            (await TextsAsync("[...document.querySelectorAll('.name')].filter(text => text.getBoundingClientRect().right > text.previousElementSibling.getBoundingClientRect().right + .5).map(text => text.textContent)"))
                .Should().BeEmpty("names are within their boxes");
            (await TextsAsync("[...document.querySelectorAll('text')].filter(text => text.getBoundingClientRect().right > document.documentElement.getBoundingClientRect().right).map(text => text.textContent)"))
                .Should().BeEmpty();
            (await TextsAsync(Checks.FaintNames)).Should().BeEmpty("WCAG 2.2, 1.4.3");
        }
    }

    /// <summary>Returns the facts on the page of a profile.</summary>
    private protected Task<string> FactsAsync() => TextAsync("document.getElementById('facts').innerText.replace(/\\s+/g, ' ')");

    private protected Task SearchAsync(string text) => EvaluateAsync(
        $"(() => {{ const field = document.getElementById('search'); field.value = '{text}'; field.dispatchEvent(new Event('input')); }})()");

    /// <summary>Returns the rows of a table of a profile: whether they are expanded, the function, and the bold numbers of its cells.</summary>
    private protected Task<string[]> RowsAsync(string tab) => TextsAsync(
        $$"""
        [...document.querySelectorAll("#{{tab}} tbody tr")].map(row => {
          const state = row.querySelector(".fold")?.ariaExpanded;
          return (state ? state === "true" ? "v " : "> " : "") + [row.querySelector("bdi"), ...row.querySelectorAll("td b")].map(one => one.textContent).join(" | ");
        })
        """);

    private protected Task SelectTabAsync(string tab) => EvaluateAsync($"document.getElementById('{tab}-tab').click()");
}
