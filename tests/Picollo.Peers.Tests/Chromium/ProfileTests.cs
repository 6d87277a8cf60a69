using System.Text.Json.Nodes;
using Picollo.Profiling;
using Picollo.Profiling.Tests.Output;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests the page and the picture of a CPU profile in a browser.</summary>
public sealed class ProfileTests(Browser browser) : BrowserTests(browser)
{
    [TheoryNeeding(Need.Chromium)]
    [InlineData("typical")]
    [InlineData("hostile")]
    [InlineData("deep")]
    [InlineData("large")]
    [InlineData("empty")]
    public async Task The_page_has_no_errors_and_no_overflow(string name)
    {
        (await ShowAsync(name)).Should().BeEmpty();
        await CheckLooksAsync($"profile-{name}", name == "empty");
    }

    [FactNeeding(Need.Chromium)]
    public async Task Boxes_have_the_widths_of_their_samples_and_boxes_of_half_a_pixel_are_drawn()
    {
        await ShowAsync("typical");
        CpuProfile profile = Profile("typical");
        double width = await NumberAsync("document.querySelector('[role=tree]').clientWidth");
        Dictionary<string, double> widths = ((JsonArray)(await Page.EvaluateAsync(
            "[...document.querySelectorAll('.box')].map(box => [box.ariaLabel.split('\\n')[0] + ' ' + box.ariaLevel, box.getBoundingClientRect().width])"))!)
            .GroupBy(pair => (string)pair![0]!, pair => (double)pair![1]!).ToDictionary(group => group.Key, group => group.Sum());
        int checkedNodes = 0;
        foreach (IGrouping<string, CpuProfileNode> level in Levels(profile.Root, 1).Where(pair => pair.Node.Value * width / profile.Value >= 0.5)
            .GroupBy(pair => $"{pair.Node.Frame.Name} {pair.Level}", pair => pair.Node))
        {
            widths[level.Key].Should().BeApproximately(level.Sum(node => node.Value) * width / profile.Value, 0.6, level.Key);
            checkedNodes++;
        }

        checkedNodes.Should().BeGreaterThan(100);

        static IEnumerable<(CpuProfileNode Node, int Level)> Levels(CpuProfileNode node, int level) =>
            node.Children.SelectMany(child => Levels(child, level + 1)).Prepend((node, level));
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_click_zooms_and_the_button_the_path_and_Escape_zoom_out()
    {
        const string Path = "[...document.querySelectorAll('#path > *')].map(one => one.textContent).join(' > ')";
        await ShowAsync("typical");
        string hint = await TextAsync(Path);
        hint.Should().StartWith("Click a function to zoom.");
        (await IsTrueAsync("document.getElementById('reset').disabled")).Should().BeTrue();

        await ClickAsync("Shop.Search.Query.Parse");
        (await ShareOfWidthAsync("Shop.Search.Query.Parse")).Should().BeApproximately(1, 0.001);
        (await ShareOfWidthAsync("all")).Should().BeApproximately(1, 0.001, "callers of the zoomed function remain visible for zooming out");
        (await IsTrueAsync($"!{Box("Shop.Orders.OrderEndpoints.<List>b__0_1")}")).Should().BeTrue("the zoomed function does not call it");
        (await TextAsync(Path)).Should().Be("all > … > Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke > Shop.Orders.OrderEndpoints.<Search>b__0_2"
            + " > Shop.Search.Query.Parse > 35.7 % of samples");

        await EvaluateAsync("[...document.querySelectorAll('#path button')].at(-1).click()");
        (await ShareOfWidthAsync("Shop.Orders.OrderEndpoints.<Search>b__0_2")).Should().BeApproximately(1, 0.001);
        await EvaluateAsync("document.getElementById('reset').click()");
        (await TextAsync(Path)).Should().Be(hint);
        (await ShareOfWidthAsync("Shop.Search.Query.Parse")).Should().BeApproximately(0.357, 0.001);

        await ClickAsync("Shop.Search.Query.Parse");
        await PressAsync("Escape");
        (await TextAsync(Path)).Should().Be(hint);
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_keyboard_moves_zooms_and_searches()
    {
        const string Focused = "document.activeElement.ariaLabel?.split('\\n')[0] ?? document.activeElement.id";
        await ShowAsync("typical");
        await EvaluateAsync("document.querySelector('.box').focus()");
        List<string> path = [];
        foreach (string key in new[] { "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "ArrowUp", "Home" })
        {
            await PressAsync(key);
            path.Add(await TextAsync(Focused));
        }

        path.Should().Equal(
            "start_thread", "CorUnix::CPalThread::ThreadEntry", "WKS::gc_heap::bgc_thread_function", "WKS::gc_heap::bgc_thread_function",
            "CorUnix::CPalThread::ThreadEntry", "System.Threading.Thread.StartCallback", "CorUnix::CPalThread::ThreadEntry", "start_thread", "all");
        (await NumberAsync("document.querySelectorAll('.box[tabindex=\"0\"]').length")).Should().Be(1, "the graph is one tab stop");

        await PressAsync("ArrowDown");
        await PressAsync("ArrowDown");
        await PressAsync("ArrowRight");
        (await TipAsync()).Should().StartWith("WKS::gc_heap::bgc_thread_function\nlibclrgc.so, native\n320 samples, 2.1 %, 3.23 s\nown: 0 samples, 0.0 %, 0 s");
        await PressAsync("Enter");
        (await ShareOfWidthAsync("WKS::gc_heap::bgc_thread_function")).Should().BeApproximately(1, 0.001);
        (await TextAsync(Focused)).Should().Be("WKS::gc_heap::bgc_thread_function");
        await PressAsync("Escape");
        (await ShareOfWidthAsync("CorUnix::CPalThread::ThreadEntry")).Should().BeApproximately(0.979, 0.001);

        await PressAsync("/");
        (await TextAsync(Focused)).Should().Be("search");
        (await TextAsync("document.getElementById('search').value")).Should().BeEmpty();
        await PressAsync("/");
        (await TextAsync("document.getElementById('search').value")).Should().Be("/");
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_narrowed_window_hides_the_focused_box_and_keeps_the_focus_in_the_graph()
    {
        await ShowAsync("typical");
        await EvaluateAsync("[...document.querySelectorAll('.box')].filter(box => box.offsetWidth <= 1).at(-1).focus()");
        (await TextAsync("document.activeElement.ariaLabel")).Should().NotStartWith("all");

        await ResizeAsync(Narrow, isDark: false);

        (await TextAsync("document.activeElement.ariaLabel")).Should().StartWith("all\n");
        (await NumberAsync("document.querySelectorAll('.box[tabindex=\"0\"]').length")).Should().Be(1);
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_search_marks_functions_and_counts_each_sample_once()
    {
        const string Found = "document.getElementById('found').textContent";
        await ShowAsync("typical");
        await SearchAsync("THREADING.");
        (await TextAsync(Found)).Should().Be("3 functions, 97.9 % of samples", "they call each other");
        (await TextsAsync("[...document.querySelectorAll('.box.found')].map(box => box.ariaLabel.split('\\n')[0])")).Should().Equal(
            "System.Threading.Thread.StartCallback", "System.Threading.PortableThreadPool.WorkerThread.WorkerThreadStart", "System.Threading.ThreadPoolWorkQueue.Dispatch");
        await SearchAsync("tcp_sendmsg");
        (await TextAsync(Found)).Should().Be("1 function, 2.2 % of samples");
        await ClickAsync("__sys_sendto");
        (await NumberAsync("document.querySelectorAll('.box.found').length")).Should().Be(1, "zooming keeps the marks");
        (await NumberAsync("document.querySelectorAll('.box.above').length")).Should().BePositive();
        foreach ((int width, bool isDark) in Looks)
        {
            await ResizeAsync(width, isDark);
            (await TextsAsync(Checks.FaintTexts)).Should().BeEmpty("marks and callers of the zoomed function are readable");
        }

        await SearchAsync("<nothing>");
        (await TextAsync(Found)).Should().Be("no matches");
        await SearchAsync("");
        (await TextAsync(Found)).Should().BeEmpty();
        (await NumberAsync("document.querySelectorAll('.box.found, .searching').length")).Should().Be(0);
        Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_tooltip_is_at_the_pointer_and_within_the_window()
    {
        await ShowAsync("hostile");
        foreach ((int width, bool isDark) in Looks)
        {
            await ResizeAsync(width, isDark);
            await PointAtAsync("[...document.querySelectorAll('.box')].at(-1)");
            (await TipAsync()).Should().StartWith("M\nmanaged\n40 samples, 40.0 %, 404 ms\nown: 40 samples, 40.0 %, 404 ms");
            await Page.MoveMouseAsync(2, 2);
            (await TipAsync()).Should().BeEmpty();
        }
    }

    [FactNeeding(Need.Chromium)]
    public async Task Tabs_show_one_table_each_and_a_long_table_more_rows_on_request()
    {
        const string State = "[...document.querySelectorAll('[role=tab]')].map(tab => tab.ariaSelected + ' ' + tab.tabIndex + ' ' "
            + "+ document.getElementById(tab.getAttribute('aria-controls')).hidden)";
        string[] chosen = ["true 0 false", "false -1 true", "false -1 true"];
        await ShowPageAsync(SomeProfiles.Of("app", Enumerable.Range(0, 250).Select(i => (new[] { SomeProfiles.Managed($"F{i}", "App.dll") }, 1000L - i))));
        const string Rows = "document.querySelectorAll('#functions tbody tr').length";
        (await NumberAsync(Rows)).Should().Be(101, "there are 100 functions and a button");
        for (int i = 0; i < 2; i++)
        {
            await EvaluateAsync("document.querySelector('#functions .more button').click()");
        }

        (await NumberAsync(Rows)).Should().Be(250);
        (await IsTrueAsync("!document.querySelector('#functions .more')")).Should().BeTrue();

        (await TextsAsync(State)).Should().Equal(chosen);
        await EvaluateAsync("document.getElementById('functions-tab').focus()");
        await PressAsync("ArrowRight");
        (await TextsAsync(State)).Should().Equal(chosen[1], chosen[0], chosen[1]);
        await PressAsync("ArrowLeft");
        await PressAsync("ArrowLeft");
        (await TextsAsync(State)).Should().Equal(chosen[1], chosen[1], chosen[0]);
        (await TextAsync("document.activeElement.id")).Should().Be("callers-tab");
        await EvaluateAsync("document.getElementById('calls-tab').click()");
        (await TextsAsync(State)).Should().Equal(chosen[1], chosen[0], chosen[1]);
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_profile_of_another_tool_has_its_own_unit()
    {
        ForeignProfile bytes = ForeignProfile.Of(2, ("inuse_space", "bytes"));
        bytes.Sample([1], [30_000_000]);
        bytes.Sample([2, 1], [10_000_000]);
        ForeignProfile times = ForeignProfile.Of(1, ("wall", "milliseconds"));
        times.Sample([1], [2_500]);

        (await ShowPageAsync(bytes.Read())).Should().BeEmpty();
        (await TextAsync($"{Box("F2")}.ariaLabel")).Should().Be("F2\nnative\n9.54 MiB, 25.0 %\nown: 9.54 MiB, 25.0 %");
        (await TextsAsync("[...document.querySelectorAll('#functions thead th, #functions tbody td')].map(cell => cell.innerText.replace(/\\s+/g, ' '))"))
            .Should().Equal("Function", "Ownbytes", "Totalbytes", "75.0 %30,000,000", "100.0 %40,000,000", "25.0 %10,000,000", "25.0 %10,000,000");
        await SearchAsync("f2");
        (await TextAsync("document.getElementById('found').textContent")).Should().Be("1 function, 25.0 % of the total");
        (await FactsAsync()).Should().Contain("Samples unknown").And.Contain("inuse_space 38.1 MiB").And.NotContain("CPU");

        (await ShowPageAsync(times.Read())).Should().BeEmpty();
        (await TextAsync($"{Box("F1")}.ariaLabel")).Should().StartWith("F1\nnative\n2.50 s, 100.0 %\n");
        (await TextsAsync("[...document.querySelectorAll('#functions thead th, #functions tbody td')].map(cell => cell.innerText.replace(/\\s+/g, ' '))"))
            .Should().Equal("Function", "Owntime", "Totaltime", "100.0 %2.50 s", "100.0 %2.50 s");
        await CheckLooksAsync("profile-foreign");
    }

    [FactNeeding(Need.Chromium)]
    public async Task Tables_have_functions_calls_and_callers()
    {
        // Two call paths to Work, and a recursion.
        await ShowPageAsync(SomeProfiles.Of(
            "app", [(Frames("Main", "Read", "Work"), 50), (Frames("Main", "Write", "Work"), 20), (Frames("Main", "Write", "Write"), 20), (Frames("Main"), 10)]));
        (await RowsAsync("functions")).Should().Equal("Work | 70.0 % | 70.0 %", "Write | 20.0 % | 40.0 %", "Main | 10.0 % | 100.0 %", "Read | 0.0 % | 50.0 %");

        await SelectTabAsync("calls");
        (await RowsAsync("calls")).Should().Equal(
            ["v all | 0.0 % | 100.0 %", "v Main | 10.0 % | 100.0 %", "> Read | 0.0 % | 50.0 %", "> Write | 0.0 % | 40.0 %"],
            "a path without branches is open");
        await FoldAsync("calls", "Write");
        (await RowsAsync("calls")).Should().Equal(
            "v all | 0.0 % | 100.0 %", "v Main | 10.0 % | 100.0 %", "> Read | 0.0 % | 50.0 %", "v Write | 0.0 % | 40.0 %", "Work | 20.0 % | 20.0 %", "Write | 20.0 % | 20.0 %");
        await FoldAsync("calls", "Main");
        (await RowsAsync("calls")).Should().Equal("v all | 0.0 % | 100.0 %", "> Main | 10.0 % | 100.0 %");

        await SelectTabAsync("callers");
        (await RowsAsync("callers")).Should().Equal("> Work | 70.0 %", "> Write | 20.0 %", "Main | 10.0 %");
        await FoldAsync("callers", "Work");
        (await RowsAsync("callers")).Should().Equal("v Work | 70.0 %", "> Read | 50.0 %", "> Write | 20.0 %", "> Write | 20.0 %", "Main | 10.0 %");
        await FoldAsync("callers", "Write");
        (await RowsAsync("callers")).Should().Equal("v Work | 70.0 %", "> Read | 50.0 %", "v Write | 20.0 %", "Main | 20.0 %", "> Write | 20.0 %", "Main | 10.0 %");
        Page.Complaints.Should().BeEmpty();

        static CpuProfileFrame[] Frames(params string[] names) => [.. names.Select(name => SomeProfiles.Managed(name, "App.dll"))];
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_stack_of_a_thousand_frames_scrolls_in_its_box_and_the_keys_reach_its_end()
    {
        await ShowAsync("deep");
        (await NumberAsync("document.querySelectorAll('.box').length")).Should().Be(1001);
        (await NumberAsync("document.getElementById('graph').clientHeight - innerHeight")).Should().BeNegative();
        (await NumberAsync("document.getElementById('graph').scrollHeight")).Should().BeGreaterThan(20_000);
        await EvaluateAsync("document.querySelector('.box').focus()");
        for (int i = 0; i < 60; i++)
        {
            await PressAsync("ArrowDown");
        }

        (await IsTrueAsync("(() => { const r = document.activeElement.getBoundingClientRect(), box = document.getElementById('graph').getBoundingClientRect(); return document.activeElement.ariaLevel === '61' && r.top >= box.top && r.bottom <= box.bottom; })()"))
            .Should().BeTrue("the focus is visible");
        await PressAsync("Enter");
        (await IsTrueAsync("(() => { const r = document.activeElement.getBoundingClientRect(), box = document.getElementById('graph').getBoundingClientRect(); return r.top >= box.top && r.bottom <= box.bottom; })()"))
            .Should().BeTrue();
        await SelectTabAsync("calls");
        (await NumberAsync("document.querySelectorAll('#calls tbody tr').length")).Should().Be(1001);
    }

    [FactNeeding(Need.Chromium)]
    public async Task Other_scripts_are_forbidden_and_without_its_script_the_page_shows_its_requirements()
    {
        await ShowAsync("typical");
        await ShouldForbidOtherScriptsAsync();
        await WithoutScriptsAsync(async () =>
        {
            await ShowAsync("typical");
            (await TextAsync("document.querySelector('main').innerText")).Should().Contain("The graph and the tables require JavaScript.");
        });
    }

    [TheoryNeeding(Need.Chromium)]
    [InlineData("typical")]
    [InlineData("hostile")]
    public async Task The_picture_opens_without_the_page_and_names_are_readable_within_their_boxes(string name)
    {
        await CheckPictureAsync(Profile(name).WriteSvg);
        (await NumberAsync("document.querySelectorAll('.name').length")).Should().BePositive();
    }

    private static CpuProfile Profile(string name) => name switch
    {
        "typical" => SomeProfiles.Typical(),
        "hostile" => SomeProfiles.Hostile(),
        "deep" => SomeProfiles.Deep(),
        "large" => SomeProfiles.Large(),
        _ => SomeProfiles.Empty(),
    };

    private Task<IReadOnlyList<string>> ShowAsync(string name) => ShowPageAsync(Profile(name));

    private async Task<IReadOnlyList<string>> ShowPageAsync(CpuProfile profile)
    {
        using StringWriter page = new();
        profile.WriteHtml(page);
        return await Browser.ShowAsync("profile.html", page.ToString(), Wide);
    }

    private static string Box(string function) => $"[...document.querySelectorAll('.box')].find(box => box.ariaLabel.startsWith('{function}\\n'))";

    /// <summary>Clicks on the box of a function with the mouse.</summary>
    private async Task ClickAsync(string function)
    {
        JsonNode place = (await Page.EvaluateAsync($"(() => {{ const r = {Box(function)}.getBoundingClientRect(); return [r.left + r.width / 2, r.top + 5]; }})()"))!;
        foreach (string type in new[] { "mousePressed", "mouseReleased" })
        {
            await Page.SendAsync(
                "Input.dispatchMouseEvent",
                new() { ["type"] = type, ["x"] = (double)place[0]!, ["y"] = (double)place[1]!, ["button"] = "left", ["clickCount"] = 1 });
        }
    }

    private async Task PressAsync(string key)
    {
        JsonObject down = new() { ["type"] = "keyDown", ["key"] = key };
        if (key.Length == 1 || key == "Enter")
        {
            down["text"] = key == "Enter" ? "\r" : key;
        }

        await Page.SendAsync("Input.dispatchKeyEvent", down);
        await Page.SendAsync("Input.dispatchKeyEvent", new() { ["type"] = "keyUp", ["key"] = key });
    }

    private async Task FoldAsync(string tab, string function) => await EvaluateAsync(
        $"[...document.querySelectorAll('#{tab} tbody tr')].find(row => row.querySelector('bdi').textContent === '{function}').querySelector('button').click()");

    private Task<double> ShareOfWidthAsync(string function) =>
        NumberAsync($"{Box(function)}.getBoundingClientRect().width / document.querySelector('[role=tree]').getBoundingClientRect().width");
}
