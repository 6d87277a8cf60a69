using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Tests.Page;
using Picollo.AspNetCore.Tests.Profiles;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests the page of a web application in a browser.</summary>
public sealed partial class PageTests(Browser browser) : BrowserTests(browser)
{
    private const int Breakpoint = 1180;
    private const string Live = "document.getElementById('state')?.className === 'live'";
    private const string Requests = "document.querySelector('.routes tbody td').textContent";

    private static readonly string[] TextsOfProfiles = ["#profile button", "#profile [role=status]", "#profiles h2"];

    private static readonly (string Method, string Route, double CpuMilliseconds, double WallMilliseconds, int Count)[] Usual =
    [
        ("GET", "/orders/{id:int}", 1.2, 14, 2000),
        ("POST", "/orders", 4.5, 32, 300),
        ("GET", "/orders/{id:int}/items/{item}", 0.4, 3, 900),
        ("GET", "/report/{year}", 180, 240, 12),
        ("DELETE", "/orders/{id:int}", 0.9, 11, 17),
        ("_OTHER", "(unhandled)", 0.05, 0.09, 75),
    ];

    [TheoryNeeding(Need.Chromium)]
    [InlineData("usual")]
    [InlineData("hostile")]
    [InlineData("nothing")]
    [InlineData("one request")]
    [InlineData("256 long names")]
    public async Task The_page_has_no_errors_and_no_overflow(string what)
    {
        await using PageServer server = await PageServer.StartAsync(configure: options => options.Requests.CollectExemplars = true);
        Fill(server, what);
        (await ShowAsync(server)).Should().BeEmpty();
        await UntilAsync(Live);
        foreach ((int width, bool isDark) in new[] { (Narrow, false), (Breakpoint, true), (Breakpoint + 1, false), (Wide, true) })
        {
            string at = $"at {width} pixels{(isDark ? ", dark" : "")}";
            await ResizeAsync(width, isDark);
            await Browser.KeepAsync($"page-{what}-{width}");
            (await TextsAsync(Checks.Faults)).Should().BeEmpty(at);
            (what is "hostile" or "256 long names" || (await IsTrueAsync("[...document.querySelectorAll('.table')].every(one => one.scrollWidth <= one.clientWidth)")))
                .Should().BeTrue($"typical numbers fit without scrolling {at}");
            (await TextsAsync(Checks.OverflowingElements)).Should().BeEmpty(at);
            (await TextsAsync(Checks.OverlappingTexts)).Should().BeEmpty(at);
            (await TextsAsync(width <= Breakpoint ? RowsWithoutCards : "[]")).Should().BeEmpty(at);
            (await TextsAsync(Checks.FaintLines(isDark ? 6 : 3))).Should().BeEmpty($"WCAG 2.2, 1.4.11 asks for 3 {at}");
            (what != "usual" || await IsTrueAsync("document.querySelectorAll('figure svg path[fill=none]').length === 8"))
                .Should().BeTrue("each of the two plots and its legend have two lines");
            foreach (string selector in new[] { "h1", "#state", ".about", "dt", "dd small", "caption small", ".routes th, .nothing", "footer", "footer a", "button", "#note" })
            {
                (await NumberAsync(Checks.ContrastOf(selector))).Should().BeGreaterThan(4.5, $"{selector} is text (WCAG 2.2, 1.4.3) {at}");
            }
        }

        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_states_of_requests_are_legible_at_each_width_and_without_colors()
    {
        await using PageServer server = await PageServer.StartAsync(configure: options =>
            (options.Requests.LatencyBreakdown, options.Requests.LatencyBudget) = (true, TimeSpan.FromMilliseconds(100)));
        FillStates(server);
        (await ShowAsync(server)).Should().BeEmpty();
        await UntilAsync(Live);
        await EvaluateAsync("document.querySelector('details').open = true");
        foreach ((int width, bool isDark) in new[] { (Narrow, false), (Narrow, true), (Wide, false), (Wide, true) })
        {
            await ResizeAsync(width, isDark);
            await CheckAsync($"page-states-{width}{(isDark ? "-dark" : "")}");
            (await TextsAsync(FaultsOfStates)).Should().BeEmpty();
            await Page.SendAsync("Emulation.setEmulatedVisionDeficiency", new() { ["type"] = "achromatopsia" });
            await Browser.KeepAsync($"page-states-{width}{(isDark ? "-dark" : "")}-grey");
            await Page.SendAsync("Emulation.setEmulatedVisionDeficiency", new() { ["type"] = "none" });
        }
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_window_and_a_row_are_selected_by_their_links_and_updated()
    {
        const string Largest = "document.querySelectorAll('.routes tbody td')[8].textContent";
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders", 900_000_000, 900_000_000);
        server.Count("PUT", "/other");
        await ShowAsync(server);
        (await TextAsync(Largest)).Should().Be("902");
        await EvaluateAsync("[...document.querySelectorAll('nav a')].find(a => a.textContent === 'last minute').click()");
        await UntilAsync("document.querySelector('nav [aria-current]')?.textContent === 'last minute'");
        await UntilAsync(Live);

        server.Count("GET", "/orders", 2_000_000, 2_000_000, 5);

        await UntilAsync($"{Largest} === '2.01'");
        await UntilAsync("document.querySelector('figcaption').textContent === 'Percentiles over the last minute'");
        await UntilAsync("document.querySelector('figure svg text').textContent === 'ms'"); // the unit of the axis, which now ends at 2.5 ms instead of 1 s
        await EvaluateAsync("[...document.querySelectorAll('tbody a')].find(a => a.textContent === 'PUT /other').click()");
        await UntilAsync("document.querySelector('h2').textContent === 'PUT /other'");
        await UntilAsync(Live);
        (await TextAsync("document.querySelector('tbody [aria-current]').textContent")).Should().Be("PUT /other");
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task Each_table_remains_sorted_and_details_remain_open_when_the_tables_are_updated()
    {
        const string Routes = "[...document.querySelectorAll('.routes tbody th bdi')].map(one => one.textContent).join(' ')";
        const string Values = "[...document.querySelectorAll('.histograms tbody td:nth-child(2)')].map(one => one.textContent).join(' ')";
        await using PageServer server = await PageServer.StartAsync(configure: options => options.Requests.CollectExemplars = true);
        AddTrace(server.Count("GET", "/a", 1_000_000, count: 20));
        server.Count("GET", "/b", 30_000_000, count: 3);
        server.Count("GET", "/c", 1_000_000, count: 100);
        InterlockedHdrHistogram<uint>[] histograms =
        [
            .. Enumerable.Range(0, 3).Select(i => server.Registry.GetOrAdd(
                $"histogram{i}", () => HdrHistogram.Factory.WithInterlocked().Create(), HdrHistogramDescription.None)),
        ];
        histograms[0].Record(1, 2);
        histograms[1].Record(1, 3);
        histograms[2].Record(1, 1);
        await ShowAsync(server);
        await UntilAsync(Live);
        await EvaluateAsync("document.querySelector('details').open = true");
        List<string> orders = [await TextAsync(Routes)];
        foreach (string column in new[] { "1", "1", "0" })
        {
            await EvaluateAsync($"document.querySelector('.routes [data-column=\"{column}\"]').click()");
            orders.Add(await TextAsync(Routes));
        }

        await EvaluateAsync("document.querySelector('.histograms [data-column=\"1\"]').click()");
        (await TextAsync(Values)).Should().Be("3 2 1");
        server.Count("GET", "/a", 90_000_000, count: 100);
        histograms[2].Record(1, 8);
        await UntilAsync($"{Requests} === '120' && {Values} === '9 3 2'");

        orders.Should().Equal("/c /b /a", "/c /a /b", "/b /a /c", "/a /b /c");
        (await TextAsync(Routes)).Should().Be("/a /b /c", "the server sorts by CPU time, with the new values of /a first");
        (await TextsAsync("[...document.querySelectorAll('th[aria-sort]')].map(one => one.ariaSort)")).Should().Equal("ascending", "descending");
        (await IsTrueAsync("document.querySelector('details').open")).Should().BeTrue();
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task Live_updates_show_data_that_arrives_and_do_not_affect_focus_and_scripts()
    {
        await using PageServer server = await PageServer.StartAsync();
        await ShowAsync(server);
        (await TextAsync("document.querySelector('h2').textContent")).Should().Be("No histograms yet");
        server.Count("GET", "/orders", count: 41);
        await UntilAsync("document.querySelector('h2').textContent === 'GET /orders' && document.querySelectorAll('figure').length === 2");
        await ShowAsync(server);
        await EvaluateAsync("window.same = document.querySelector('.routes tbody td'); document.querySelector('.routes a').focus(); 0");
        string before = await TextAsync("document.getElementById('plots').innerHTML");

        server.Count("GET", "/orders");

        await UntilAsync($"{Requests} === '42'");
        await UntilAsync($"document.getElementById('plots').innerHTML.length !== {before.Length}");
        (await TextAsync("String(window.same === document.querySelector('.routes tbody td'))")).Should().Be("true", "the page was not reloaded");
        (await TextAsync("document.activeElement.textContent")).Should().Be("GET /orders");
        server.Count("PUT", "/new", 900_000_000);
        await UntilAsync("document.querySelectorAll('.routes tbody tr').length === 2");
        (await TextAsync("document.querySelector('.routes tbody a').textContent")).Should().Be("PUT /new", "this route used the most CPU time");
        (await TextAsync("document.querySelector('h2').textContent")).Should().Be("GET /orders", "it is the selected row");
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task Values_after_a_mark_are_compared_with_values_before_it()
    {
        await using PageServer server = await PageServer.StartAsync();
        Fill(server, "usual");
        await ShowAsync(server);
        (await TextsAsync(Captions)).Should().Equal("Percentiles since the start", "Density since the start");

        await EvaluateAsync("document.getElementById('mark').click()");
        await UntilAsync("document.querySelectorAll('figure').length === 4");
        Fill(server, "usual", 2);
        await UntilAsync("document.getElementById('plots').textContent.includes('+') || [...document.querySelectorAll('figure')][1].querySelectorAll('rect').length > 9");

        (await TextsAsync(Captions)).Should().SatisfyRespectively(
            one => one.Should().MatchRegex(@"^CPU, before and after \d\d:\d\d:\d\d UTC$"),
            one => one.Should().Be("CPU, difference"),
            one => one.Should().StartWith("Wall, before and after"),
            one => one.Should().Be("Wall, difference"));
        foreach ((int width, bool isDark) in Looks)
        {
            await ResizeAsync(width, isDark);
            await Browser.KeepAsync($"page-marked-{width}");
            (await TextsAsync(Checks.Faults)).Should().BeEmpty();
            (await TextsAsync(Checks.OverlappingTexts)).Should().BeEmpty();
            (await TipAsync(1)).Should().MatchRegex("→").And.Contain("+");
        }

        await ShowAsync(server);
        await UntilAsync("document.querySelectorAll('figure').length === 4"); // the mark survives a reload of the page
        await EvaluateAsync("document.getElementById('forget').click()");
        await UntilAsync("document.querySelectorAll('figure').length === 2");
        await ShowAsync(server);
        (await TextAsync("document.getElementById('mark').textContent")).Should().Be("Compare with now");
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_comparison_that_arrives_after_the_mark_is_removed_is_not_drawn()
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders");
        await ShowAsync(server);
        await EvaluateAsync(
            """
            (() => {
              const real = window.fetch;
              window.fetch = async (...asked) => {
                const answer = await real(...asked);
                if (String(asked[0]).includes("/diff")) { window.asked = true; await new Promise(done => setTimeout(done, 1500)); window.hasAnswered = true; }
                return answer;
              };
              document.getElementById("mark").click();
            })()
            """);
        await UntilAsync("window.asked");
        await EvaluateAsync("document.getElementById('forget').click()");
        await UntilAsync("window.hasAnswered");
        await Task.Delay(300);

        (await TextsAsync(Captions)).Should().Equal("Percentiles since the start", "Density since the start");
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_page_follows_a_restarted_server_and_keeps_the_mark()
    {
        PageServer server = await PageServer.StartAsync();
        int port = server.Address.Port;
        server.Count("GET", "/orders", count: 100);
        await ShowAsync(server);
        await EvaluateAsync("document.getElementById('mark').click()");
        await UntilAsync("document.querySelectorAll('figure').length === 4");

        await server.DisposeAsync();
        await UntilAsync("document.getElementById('state').textContent !== 'live'");
        await Browser.KeepAsync("page-not-live");
        await using PageServer again = await PageServer.StartAsync(build: builder => builder.WebHost.UseUrls($"http://127.0.0.1:{port}"));
        again.Count("GET", "/orders", 3_000_000, count: 7);

        await UntilAsync($"document.getElementById('state').textContent === 'live' && {Requests} === '7'");
        await UntilAsync("document.querySelector('figcaption').textContent.includes('counting has restarted')");
        await EvaluateAsync("sessionStorage.clear()");
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_tooltip_shows_the_values_under_the_pointer_and_is_updated()
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders", 1_000_000, 2_000_000, 1000);
        await ShowAsync(server, Narrow);
        await UntilAsync(Live);

        (await TipAsync(0)).Should().MatchRegex(@"^[\d.]+ %\nCPU: 1\.\d+ ms\nwall: 2\.\d+ ms$");
        server.Count("GET", "/orders", 70_000_000, 80_000_000, 100_000);
        await UntilAsync("document.getElementById('tip').textContent.includes('wall: 8')");
        await Page.MoveMouseAsync(2, 2);
        (await TextAsync("String(document.getElementById('tip').hidden)")).Should().Be("true");
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task Without_its_script_the_page_is_static()
    {
        await using PageServer server = await PageServer.StartAsync();
        Fill(server, "usual");
        await WithoutScriptsAsync(async () =>
        {
            (await ShowAsync(server)).Should().BeEmpty();
            await Browser.KeepAsync("page-still");
            (await TextAsync("document.getElementById('state').textContent")).Should().MatchRegex(@"^as of \d{4}-\d\d-\d\d [\d:]+ UTC; reload to update$");
            (await TextAsync("String(document.getElementById('tools').offsetHeight)")).Should().Be("0");
            (await TextsAsync("[...document.querySelectorAll('figure rect > title')].map(title => title.textContent)"))
                .Should().Contain(text => text.StartsWith("99 %\nCPU: "));
            server.Viewers.Should().Be(0);
        });
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_hidden_page_does_not_count_as_a_viewer()
    {
        await using PageServer server = await PageServer.StartAsync(configure: options => options.MaxPageViewers = 1);
        server.Count("GET", "/orders");
        await ShowAsync(server);
        await UntilAsync(Live);
        server.Viewers.Should().Be(1);
        const string Hide = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => window.isHidden }); ";
        const string Notify = "document.dispatchEvent(new Event('visibilitychange')); 0";

        await EvaluateAsync(Hide + "window.isHidden = true; " + Notify);
        await UntilAsync("document.getElementById('state').textContent === 'paused'");
        for (int i = 0; i < 600 && server.Viewers > 0; i++)
        {
            await Task.Delay(100);
        }

        server.Viewers.Should().Be(0);
        await using EventReader other = await EventReader.OpenAsync(server, "");
        await EvaluateAsync("window.isHidden = false; " + Notify);
        await UntilAsync("document.getElementById('state').textContent.startsWith('not live: the server has reached its limit of viewers')");
    }

    [FactNeeding(Need.Chromium, Need.PerfEvents)]
    public async Task A_profile_is_taken_by_its_button_and_two_are_compared()
    {
        var endOfProfile = new ProfileEnd();
        await using PageServer server = await StartWithProfilesAsync(endOfProfile);
        using var end = new CancellationTokenSource();
        Task busy = Task.Run(() =>
        {
            while (!end.IsCancellationRequested)
            {
                bool isAwaited = endOfProfile.IsAwaited;
                Burn(milliseconds: 200); // produces samples
                if (isAwaited)
                {
                    endOfProfile.Fire();
                }
            }
        });
        const string Section = "document.getElementById('profiles')";
        for (int i = 0; i < 2; i++)
        {
            (await ShowAsync(server)).Should().BeEmpty();
            await UntilAsync(Live);
            await CheckTextsAsync($"page-profiles-{i}", i == 0 ? TextsOfProfiles : [.. TextsOfProfiles, "#profiles li", "#profiles a"]);
            (await TextsAsync($"[...{Section}.querySelectorAll('li a')].map(a => a.textContent)")).Should().HaveCount(i);
            await EvaluateAsync("document.querySelector('#profile button').click()");
            await UntilAsync("location.search === '?profile=latest' && document.querySelector('[role=tree]') !== null");
        }

        (await TextsAsync("[...document.querySelectorAll('select option')].map(one => one.textContent)")).Should().Contain("whole process");
        await CheckTextsAsync("page-profile");
        await EvaluateAsync("[...document.querySelectorAll('a')].find(a => a.textContent.startsWith('Compare with')).click()");
        await UntilAsync("document.querySelector('h1').textContent.includes(' UTC and ') && document.querySelector('[role=tree]') !== null");
        await CheckTextsAsync("page-difference");
        await EvaluateAsync("[...document.querySelectorAll('a')].find(a => a.textContent === 'Back to the routes').click()");
        await UntilAsync($"{Section}?.querySelectorAll('li').length === 2");
        await end.CancelAsync();
        await busy;
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium, Need.PerfEvents)]
    public async Task A_profile_whose_connection_is_lost_is_reported_on_the_page()
    {
        var lost = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isLost = false;
        await using PageServer server = await PageServer.StartAsync(
            application =>
            {
                application.Use(async (context, next) =>
                {
                    if (!HttpMethods.IsPost(context.Request.Method))
                    {
                        await next(context);
                    }
                    else if (!isLost)
                    {
                        Task profile = next(context);
                        await lost.Task;
                        context.Abort();
                        await profile;
                    }
                    else
                    {
                        context.Abort(); // the browser repeats a request if its connection was used before
                    }
                });
                application.MapPicollo();
            },
            options => options.EnableProfiling = true);
        await ShowAsync(server);
        await EvaluateAsync("document.querySelector('#profile button').click()");
        await UntilAsync("document.querySelector('#profile [role=status]').textContent.startsWith('Measuring: ')");
        Volatile.Write(ref isLost, true);
        lost.SetResult();

        await UntilAsync("document.querySelector('#profile [role=status]').textContent === 'The connection was lost, so no profile was taken.'");
        (await TextAsync("String(document.querySelector('#profile button').disabled)")).Should().Be("false");
    }

    private async Task CheckTextsAsync(string picture, params string[] texts)
    {
        foreach ((int width, bool isDark) in Looks)
        {
            await ResizeAsync(width, isDark);
            await Browser.KeepAsync($"{picture}-{width}");
            (await TextsAsync(Checks.Faults)).Should().BeEmpty();
            (await TextsAsync(Checks.OverflowingElements)).Should().BeEmpty();
            foreach (string selector in texts)
            {
                (await NumberAsync(Checks.ContrastOf(selector))).Should().BeGreaterThan(4.5, $"{selector} is text (WCAG 2.2, 1.4.3)");
            }
        }
    }

    private static async Task<PageServer> StartWithProfilesAsync(TimeProvider time)
    {
        PageServer server = await PageServer.StartAsync(
            configure: options => options.EnableProfiling = true,
            build: builder => builder.Services.AddSingleton(time));
        server.Count("GET", "/orders");
        return server;
    }

    /// <summary>Uses CPU time on this thread.</summary>
    private static void Burn(int milliseconds)
    {
        long start = CpuUsageReader.GetThreadTimeNanoseconds();
        while (CpuUsageReader.GetThreadTimeNanoseconds() - start < milliseconds * 1_000_000L)
        {
            Thread.SpinWait(1000);
        }
    }

    // A card has its name above the numbers, and at most four numbers in a row.
    private const string RowsWithoutCards =
        """
        [...document.querySelectorAll("tbody tr")].filter(row => {
          const tops = [...row.children].map(cell => Math.round(cell.getBoundingClientRect().top));
          return tops.slice(1).some(top => top <= tops[0]) || Math.max(...tops.map(top => tops.filter(other => other === top).length)) > 4;
        }).map(row => row.textContent)
        """;

    // Each bar has the order of the legend, gaps between its parts, and its largest states as text. Without a thread, a part is lower.
    private const string FaultsOfStates =
        """
        (() => {
          const titles = [...document.querySelectorAll(".legend li")].map(one => one.textContent.trim());
          const ground = getComputedStyle(document.body).backgroundColor;
          const bars = [...document.querySelectorAll("svg.states")];
          const faults = bars.flatMap(bar => {
            const parts = [...bar.querySelectorAll("rect")].map(rect => ({ rect, title: titles.findIndex(one => rect.textContent.startsWith(one + " ")) }));
            return [
              [bar.role === "img" && bar.ariaLabel === bar.nextElementSibling.textContent && titles.some(one => bar.ariaLabel.startsWith(one + " ")), "text"],
              [parts.every(({ title }, i) => title > (i ? parts[i - 1].title : -1)), "order"],
              [parts.every(({ rect, title }) => (rect.getAttribute("height") === "5") === ["pool queue", "await"].includes(titles[title])), "height"],
              [parts.every(({ rect }) => getComputedStyle(rect).stroke === ground), "gap"],
              [parts.every(({ rect, title }) => titles[title] !== "pool queue" || document.querySelector(rect.getAttribute("fill").slice(4, -1))?.localName === "pattern"), "stripes"],
            ].filter(([isRight]) => !isRight).map(([, fault]) => fault + ": " + bar.outerHTML);
          });
          if (bars.length !== 13 || titles.length !== 7) faults.push(`${bars.length} bars, ${titles.length} states`);
          if ([...document.querySelectorAll(".table")].some(one => one.scrollWidth > one.clientWidth)) faults.push("overflow");
          return faults;
        })()
        """;

    private const string Captions = "[...document.querySelectorAll('figcaption')].map(one => one.textContent)";

    private async Task<IReadOnlyList<string>> ShowAsync(PageServer server, int width = Wide)
    {
        await Page.ResizeAsync(width, 900, isDark: false);
        return await Page.NavigateAsync(new Uri(server.Address, "picollo").AbsoluteUri);
    }

    /// <summary>Returns the tooltip in the middle of the plot of a figure.</summary>
    private async Task<string> TipAsync(int figure)
    {
        string element = $"document.querySelectorAll('figure')[{figure}]";
        await EvaluateAsync($"{element}.scrollIntoView({{ block: 'center' }})");
        await Page.WaitForFrameAsync(); // scrolling hides the tooltip
        for (int i = 0; i < 100 && (await TipAsync()).Length == 0; i++)
        {
            await PointAtAsync($"{element}.querySelectorAll('rect')[({element}.querySelectorAll('rect').length >> 2) + {i % 2}]");
            await Page.WaitForFrameAsync();
        }

        return await TipAsync();
    }

    private static void Fill(PageServer server, string what, double factor = 1)
    {
        switch (what)
        {
            case "usual":
                FillUsual(server, factor);
                break;
            case "one request":
                server.Count("GET", "/orders", 20_100_000, 20_300_000);
                break;
            case "256 long names":
                for (int i = 0; i < 256; i++)
                {
                    server.Count("GET", $"/{string.Join('/', Enumerable.Repeat("segment", 18))}/{i}/{string.Join('/', Enumerable.Repeat("segment", 18))}", count: (ulong)i + 1);
                }

                break;
            case "hostile":
                foreach (string name in new[] { "</title><script>alert(1)</script><img src=x onerror=alert(1)>", new string('W', 3000), "\u202egnp.\0exe", "/" + string.Join('/', Enumerable.Repeat("segment", 15)) })
                {
                    server.Count("OPTIONS", name, 3_599_000_000_000, 3_599_000_000_000, 2_000_000);
                    server.Registry.Add(name, HdrHistogram.Create(), new HdrHistogramDescription { Unit = new() { Name = name } }, [new("label", name)]);
                }

                server.Registry.GetOrAdd("largest", () => HdrHistogram.Create(), HdrHistogramDescription.None).Record(ulong.MaxValue);
                break;
        }
    }

    /// <summary>Adds a row to the table of the slowest requests, if the server collects exemplars.</summary>
    private static void AddTrace(RouteRow route)
    {
        if (route.MostExpensive is not null)
        {
            route.Add(new(route, new Outcome(200, ResponseClass.Success), 50_000_000, 1_000_000, DateTimeOffset.UtcNow, new string('a', 32), new string('b', 16)));
        }
    }

    /// <summary>Adds runs with all states, estimates, few runs, and a slow request.</summary>
    private static void FillStates(PageServer server)
    {
        (string Method, string Route, int Count, LatencyTimes Milliseconds)[] all =
        [
            ("GET", "/orders/{id:int}/items/{item}", 500, new() { Cpu = 4, RunQueue = 3, Collection = 2, Lock = 5, Blocked = 3, PoolQueue = 2, Await = 9 }),
            ("POST", "/orders", 250, new() { Cpu = 2, Lock = 40, Await = 5 }),
            ("GET", "/report/{year}", 40, new() { Cpu = 180, RunQueue = 60, Collection = 30 }),
            ("GET", "/" + string.Join('/', Enumerable.Repeat("segment", 15)), 3, new() { PoolQueue = 700, Await = 300 }),
        ];
        foreach ((string method, string route, int count, LatencyTimes times) in all)
        {
            RouteRow row = server.Count(method, route, (ulong)times.Cpu * 1_000_000, count: (ulong)count);
            for (int i = 0; i < count; i++)
            {
                long factor = 1_000_000 * (i % 90 == 7 ? 20 : 1), locked = i % 90 == 7 ? times.Lock * factor : 0; // the slowest wait for locks
                row.Latency!.Add(new LatencyBreakdown(
                    new()
                    {
                        Cpu = times.Cpu * factor,
                        RunQueue = times.RunQueue * factor,
                        Collection = times.Collection * factor,
                        Lock = (times.Lock * factor) + (4 * locked),
                        Blocked = times.Blocked * factor,
                        PoolQueue = times.PoolQueue * factor,
                        Await = times.Await * factor,
                    },
                    AllStates,
                    LatencyStates.PoolQueue | LatencyStates.GarbageCollection));
            }

            using CpuUsageAsyncWatcher watcher = new(measureLatency: true);
            Thread.Sleep(20);
            watcher.Stop();
            row.Add(new(row, new Outcome(200, ResponseClass.Success), watcher.WallNanoseconds, 1_000_000, DateTimeOffset.UtcNow, new string('a', 32), new string('b', 16))
            {
                Timed = watcher,
            });
        }
    }

    private const LatencyStates AllStates = LatencyStates.Cpu | LatencyStates.RunQueue | LatencyStates.GarbageCollection | LatencyStates.Lock
        | LatencyStates.Blocked | LatencyStates.PoolQueue | LatencyStates.Await;

    private static void FillUsual(PageServer server, double factor)
    {
        Random random = new(5);
        foreach ((string method, string route, double cpu, double wall, int count) in Usual)
        {
            for (int i = 0; i < count; i++)
            {
                double tail = 1 / Math.Pow(1 - random.NextDouble(), 0.3) * (0.7 + (0.6 * random.NextDouble())) * factor;
                AddTrace(server.Count(method, route, (ulong)(cpu * 1e6 * tail), (ulong)(wall * 1e6 * tail)));
            }
        }

        InterlockedHdrHistogram<uint> sizes = server.Registry.GetOrAdd(
            "order_size", () => HdrHistogram.Factory.WithInterlocked().Create(), new HdrHistogramDescription { Unit = new() { Name = "bytes" } }, [new("shop", "berlin")]);
        for (int i = 0; i < 500; i++)
        {
            sizes.Record((ulong)(200 + (5000 * random.NextDouble() * random.NextDouble())));
        }
    }
}
