using Picollo.Profiling;
using Picollo.Profiling.Output;
using Picollo.Profiling.Tests;
using Picollo.Profiling.Tests.Output;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests a page of several CPU profiles, such as those of routes, in a browser.</summary>
public sealed class ProfilePartTests(Browser browser) : BrowserTests(browser)
{
    private const string Overflow = "document.getElementById('part').getBoundingClientRect().right - innerWidth";

    private static readonly string LongRoute = "GET /" + string.Join('/', Enumerable.Range(0, 30).Select(i => $"{{parameter{i}}}"));

    [FactNeeding(Need.Chromium)]
    public async Task The_page_has_no_errors_and_no_overflow()
    {
        (await ShowAsync()).Should().BeEmpty();
        foreach ((int width, bool isDark) in Looks)
        {
            await ResizeAsync(width, isDark);
            for (int part = 0; part < Parts.Length; part++)
            {
                await ChooseAsync(part);
                await CheckAsync($"parts-{part}-{width}");
                (await NumberAsync(Overflow)).Should().BeNegative();
            }
        }
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_selected_part_shows_its_facts_notes_graph_and_tables_and_a_search_continues_in_it()
    {
        await ShowAsync();
        (await FactsAsync()).Should().Contain("Samples 1,000 ").And.NotContain("Share").And.Contain("CPU time 10.0 s estimated from the samples");
        (await RowsAsync("functions")).Should().Equal("Users | 60.0 % | 60.0 %", "Long | 40.0 % | 40.0 %", "Main | 0.0 % | 100.0 %");

        await ChooseAsync(1);

        (await FactsAsync()).Should().Contain("Samples 600 ").And.Contain("Share 60.0 % of all samples");
        (await TextAsync("document.getElementById('notes').innerText")).Should().Be("A note on users.");
        (await RowsAsync("functions")).Should().Equal("Users | 100.0 % | 100.0 %", "Main | 0.0 % | 100.0 %");
        (await TextsAsync("[...document.querySelectorAll('.box')].map(box => box.ariaLabel.split('\\n')[0])")).Should().Equal("all", "Main", "Users");

        await SelectTabAsync("calls");
        await ChooseAsync(0);
        (await TextAsync("getComputedStyle(document.getElementById('notes')).display")).Should().Be("none");
        (await RowsAsync("calls")).Should().HaveCount(4, "the selected table remains selected");
        (await TextAsync("document.getElementById('legend').innerText")).Should().Be("managed");

        await SearchAsync("users");
        (await TextAsync("document.getElementById('found').textContent")).Should().Be("1 function, 60.0 % of samples");
        await ChooseAsync(4);
        (await TextAsync("document.getElementById('none').innerText")).Should().StartWith("No samples. ");
        (await NumberAsync("document.getElementById('graph').getClientRects().length")).Should().Be(0);
        await ChooseAsync(1);
        (await TextAsync("document.getElementById('found').textContent")).Should().Be("1 function, 100.0 % of samples");
        (await NumberAsync("document.querySelectorAll('.box.found').length")).Should().Be(1);
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_URL_fragment_contains_the_part_and_a_link_opens_it()
    {
        await ShowAsync();
        await ChooseAsync(1);
        (await TextAsync("location.hash")).Should().Be("#GET%20%2Fusers%2F%7Bid%7D");
        await ChooseAsync(2);
        await EvaluateAsync("new Promise(done => { addEventListener('hashchange', () => done(0), { once: true }); history.back(); })");
        (await NumberAsync("Number(document.getElementById('part').value)")).Should().Be(1);

        foreach ((string fragment, int part) in new[] { ("#GET%20/users/{id}", 1), ("#(no%20request)", 4), ("#none", 0), ("#%E0%A4%A", 0) })
        {
            await EvaluateAsync($"new Promise(done => {{ addEventListener('hashchange', () => done(0), {{ once: true }}); location.hash = '{fragment}'; }})");
            (await NumberAsync("Number(document.getElementById('part').value)")).Should().Be(part, fragment);
        }

        Page.Complaints.Should().BeEmpty();
        await Page.NavigateAsync(await TextAsync("location.href.split('#')[0]") + "#GET%20%2Fusers%2F%7Bid%7D");
        (await RowsAsync("functions")).Should().StartWith("Users | 100.0 % | 100.0 %");
    }

    private static readonly CpuProfile Whole = Profiles.Of("Main;Users 600", "Main;Long 400");

    private static ProfilePart[] Parts { get; } =
    [
        new("whole process", Whole.Data),
        new("GET /users/{id}", new ProfileData(Profiles.Of("Main;Users 600").Root) { Frequency = 100, Notes = ["A note on users."] }, Whole.Data),
        new(LongRoute, Profiles.Of("Main;Long 400").Data, Whole.Data),
        new("<img src=x onerror=alert(1)></option></select><script>alert(1)</script>", SomeProfiles.Hostile().Data),
        new("(no request)", SomeProfiles.Empty().Data),
    ];

    private async Task<IReadOnlyList<string>> ShowAsync()
    {
        using StringWriter page = new();
        ProfilePage.Write(page, "Shop", Parts, "<p class=\"links\"><a href=\"../picollo\">All measurements</a></p>\n");
        return await Browser.ShowAsync("parts.html", page.ToString());
    }

    /// <summary>Selects a part as a user does, and waits until it is shown.</summary>
    private async Task ChooseAsync(int part) => await EvaluateAsync(
        $$"""
        new Promise(done => {
          const choice = document.getElementById("part");
          if (choice.value === "{{part}}") { done(0); return; }
          addEventListener("hashchange", () => done(0), { once: true });
          choice.value = "{{part}}";
          choice.dispatchEvent(new Event("change"));
        })
        """);
}
