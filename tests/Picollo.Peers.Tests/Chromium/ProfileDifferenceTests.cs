using Picollo.Profiling;
using Picollo.Profiling.Output;
using Picollo.Profiling.Tests;
using Picollo.Profiling.Tests.Output;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests the page and the picture of the difference of two CPU profiles in a browser.</summary>
public sealed class ProfileDifferenceTests(Browser browser) : BrowserTests(browser)
{
    [TheoryNeeding(Need.Chromium)]
    [InlineData("typical")]
    [InlineData("hostile")]
    [InlineData("deep")]
    [InlineData("new")]
    [InlineData("empty")]
    [InlineData("parts")]
    public async Task The_page_has_no_errors_and_no_overflow(string name)
    {
        (await ShowAsync(name)).Should().BeEmpty();
        await CheckLooksAsync($"difference-{name}", name == "empty");
    }

    [FactNeeding(Need.Chromium)]
    public async Task Boxes_tables_tooltips_and_searches_show_both_shares_and_the_change_with_its_interval()
    {
        CpuProfileDifference difference = new(
            Profiles.Of("Main;Gone 6000", "Main;Same 2000", "Main;Rest 2000"), Profiles.Of("Main;Work 12600", "Main;Same 4000", "Main;Rest 3400"));
        await ShowAsync(difference);
        (await TextsAsync(
            "[...document.querySelectorAll('.box')].map(box => [box.ariaLabel.split('\\n')[0], box.className, Math.round(1000 * box.getBoundingClientRect().width / document.querySelector('[role=tree]').clientWidth)].join(' | '))"))
            .Should().Equal(
                "all | box k4 s0 | 1000", "Main | box k4 s0 | 1000", "Work | box more s3 | 315", "Gone | box less s3 | 300", "Same | box k4 s0 | 200",
                "Rest | box less s2 | 185");

        string[] rows = [.. difference.GetMethods().Select(method => FormattableString.Invariant(
            $"{method.Frame.Name} | {(method.MayBeRandom ? "~ " : "")}{Points(method.OwnShareChange)} | {Share(method.OwnShareBefore)} | {Share(method.OwnShareAfter)} | {Share(method.ShareBefore)} | {Share(method.ShareAfter)}"))];
        rows[0].Should().Be("Work | +63.00 | 0.0 % | 63.0 % | 0.0 % | 63.0 %");
        (await RowsAsync("functions")).Should().Equal(rows);
        (await TextsAsync("[...document.querySelectorAll('#functions td.change span')].map(span => span.textContent)"))
            .Should().Equal(difference.GetMethods().Select(method => $"{Points(method.OwnShareChangeLower!.Value)} to {Points(method.OwnShareChangeUpper!.Value)}"));
        (await TextsAsync("[...document.querySelectorAll('#functions thead th')].map(head => head.innerText.trim())"))
            .Should().Equal("Function", "Own change95 % interval", "Own before", "Own after", "Total before", "Total after");

        await SelectTabAsync("calls");
        (await RowsAsync("calls"))[..3].Should().Equal(
            "v all | ~ 0.00 | 100.0 % | 100.0 % | 0.0 % | 0.0 %", "v Main | ~ 0.00 | 100.0 % | 100.0 % | 0.0 % | 0.0 %", "Work | +63.00 | 0.0 % | 63.0 % | 0.0 % | 63.0 %");
        await SelectTabAsync("callers");
        (await RowsAsync("callers"))[..2].Should().Equal("> Work | +63.00 | 0.0 % | 63.0 %", "> Gone | −60.00 | 60.0 % | 0.0 %");

        (await TextAsync("[...document.querySelectorAll('.box')].find(box => box.ariaLabel.startsWith('Same')).ariaLabel")).Should().StartWith(
            "Same\nApp.dll, managed\n20.0 % before (2,000 samples), 20.0 % after (4,000 samples)\nchange: 0.00 points (95 %: ").And.Contain(", may be random\nown: 20.0 % before");
        await SearchAsync("work");
        (await TextAsync("document.getElementById('found').textContent")).Should().Be("1 function, 0.0 % before, 63.0 % after");
        (await TextAsync("document.getElementById('legend').innerText")).Should().Contain("may be random").And.Contain("more: below 1 point");
        (await FactsAsync()).Should().Contain("Samples 10,000 → 20,000 before → after ");

        static string Share(double share) => (100 * share).ToString(share is > 0 and < 0.01 ? "0.00" : "0.0", System.Globalization.CultureInfo.InvariantCulture) + " %";
        static string Points(double change) => (100 * change).ToString("+0.00;−0.00;0.00", System.Globalization.CultureInfo.InvariantCulture);
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_interval_uses_the_number_of_samples_of_times_and_is_unknown_without_it()
    {
        ForeignProfile single = ForeignProfile.Of(2, ("cpu", "milliseconds"));
        for (int i = 0; i < 400; i++)
        {
            single.Sample([1 + (ulong)(i % 2)], [10]);
        }

        ForeignProfile merged = ForeignProfile.Of(2, ("cpu", "milliseconds"));
        merged.Sample([1], [1_000]);
        merged.Sample([2], [3_000]);
        const string Intervals = "[...document.querySelectorAll('#functions td.change')].map(cell => cell.innerText.replace(/\\s+/g, ' '))";

        (await ShowAsync(new CpuProfileDifference(single.Read(), single.Read()))).Should().BeEmpty();
        (await TextsAsync(Intervals)).Should().Equal("~ 0.00−6.91 to +6.91", "~ 0.00−6.91 to +6.91");
        (await ShowAsync(new CpuProfileDifference(single.Read(), merged.Read()))).Should().BeEmpty();
        (await TextsAsync(Intervals)).Should().Equal("+25.00unknown", "−25.00unknown");
        (await TextsAsync("[...document.querySelectorAll('.box')].map(box => box.className)")).Should().Equal("box k4 s0", "box more s3", "box less s3");
        (await TextAsync("document.getElementById('legend').innerText")).Should().Contain("equal").And.NotContain("random");
        (await TextAsync("[...document.querySelectorAll('.box')][1].ariaLabel")).Should().StartWith(
            "F2\nnative\n50.0 % before (2.00 s), 75.0 % after (3.00 s)\nchange: +25.00 points (95 %: unknown)\nown: ");
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_selected_part_shows_its_own_difference()
    {
        await ShowAsync("parts");

        await EvaluateAsync("location.hash = encodeURIComponent('GET /new')");
        (await FactsAsync()).Should().Contain("Samples 0 → ").And.Contain("Share 0.0 % → ").And.Contain(" of all samples, before → after ");
        await EvaluateAsync("location.hash = encodeURIComponent('(no request)')");
        (await TextAsync("document.getElementById('none').innerText")).Should().Be("No samples. Neither profile has any.");
        Page.Complaints.Should().BeEmpty();
    }

    [TheoryNeeding(Need.Chromium)]
    [InlineData("typical")]
    [InlineData("hostile")]
    public Task The_picture_opens_without_the_page(string name) => CheckPictureAsync(Difference(name).WriteSvg);

    private static CpuProfileDifference Difference(string name) => name switch
    {
        "typical" => SomeDifferences.Typical(),
        "hostile" => SomeDifferences.Hostile(),
        "deep" => SomeDifferences.Deep(),
        "new" => SomeDifferences.New(),
        _ => SomeDifferences.Empty(),
    };

    private async Task<IReadOnlyList<string>> ShowAsync(string name)
    {
        if (name != "parts")
        {
            return await ShowAsync(Difference(name));
        }

        using StringWriter page = new();
        CpuProfileDifference whole = SomeDifferences.Typical();
        ProfilePage.Write(
            page,
            "Shop",
            [
                new DifferencePart("whole process", whole.Data),
                new DifferencePart("GET /new", SomeDifferences.New().Data, whole.Data),
                new DifferencePart("(no request)", SomeDifferences.Empty().Data, whole.Data),
            ],
            "<p class=\"links\"><a href=\"../picollo\">All measurements</a> <a href=\"profile\">Profile</a></p>\n");
        return await Browser.ShowAsync("difference.html", page.ToString());
    }

    private async Task<IReadOnlyList<string>> ShowAsync(CpuProfileDifference difference)
    {
        using StringWriter page = new();
        difference.WriteHtml(page);
        return await Browser.ShowAsync("difference.html", page.ToString());
    }
}
