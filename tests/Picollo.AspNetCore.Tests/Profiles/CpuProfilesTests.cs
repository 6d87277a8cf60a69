using System.Diagnostics.Metrics;
using Picollo.AspNetCore.Profiles;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Profiling;
using static Picollo.AspNetCore.Tests.Profiles.ProfileWork;

namespace Picollo.AspNetCore.Tests.Profiles;

/// <summary>Tests profiles of a running server, taken by requests from its page.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class CpuProfilesTests
{
    private int _laterCount;

    [Fact]
    public async Task Without_the_option_there_is_no_profile()
    {
        await using PageServer server = await StartAsync(profiling: false);

        using HttpResponseMessage posted = await PostAsync(server);

        posted.StatusCode.Should().Be(HttpStatusCode.MethodNotAllowed);
        posted.Content.Headers.Allow.Should().Equal("GET", "HEAD");
        (await server.Client.GetStringAsync("/picollo")).Should().NotContain("id=\"profile\"");
        FlowRecorder.IsActive.Should().BeFalse();
    }

    [FactNeeding(Need.PerfEvents)]
    public async Task Profiles_separate_concurrent_requests_to_two_routes()
    {
        var end = new ProfileEnd();
        await using PageServer server = await StartAsync(time: end);
        Task<HttpResponseMessage> posting = PostAsync(server);
        await Eventually.IsTrueAsync(() => FlowRecorder.IsActive);
        await Task.WhenAll(Enumerable.Range(0, 32).Select(i => RequestAsync(server, i % 2 == 0 ? "/sixty/7" : "/forty", times: 20)));
        end.Fire();
        using HttpResponseMessage posted = await posting;

        posted.StatusCode.Should().Be(HttpStatusCode.SeeOther);
        StoredProfile stored = ProfilesOf(server).All.Should().ContainSingle().Subject;
        posted.Headers.Location.Should().Be(new Uri($"?profile={stored.Id}", UriKind.Relative));
        IReadOnlyList<CpuProfile> parts = stored.Profile.SplitByRoute();
        CpuProfile sixty = parts.Should().ContainSingle(part => part.Label!.ToString() == "GET /sixty/{id}").Subject;
        CpuProfile forty = parts.Should().ContainSingle(part => part.Label!.ToString() == "GET /forty").Subject;
        SamplesOf(sixty, nameof(BurnForty)).Should().Be(0);
        SamplesOf(forty, nameof(BurnSixty)).Should().Be(0);
        SamplesOf(sixty, nameof(BurnSixty)).Should().Be(SamplesOf(stored.Profile, nameof(BurnSixty))).And.BePositive();
        SamplesOf(forty, nameof(BurnForty)).Should().Be(SamplesOf(stored.Profile, nameof(BurnForty))).And.BePositive();
        parts.Sum(part => part.Value).Should().Be(stored.Profile.Value);
        FlowRecorder.IsActive.Should().BeFalse("nothing is recorded without a profile");

        using HttpResponseMessage shown = await server.Client.GetAsync($"/picollo?profile={stored.Id}");
        shown.Headers.GetValues("Content-Security-Policy").Should().ContainSingle().Which.Should()
            .Contain(Picollo.Profiling.Output.ProfilePage.ContentSecurityPolicy).And.Contain("frame-ancestors 'none'");
        shown.Headers.CacheControl!.NoStore.Should().BeTrue();
        string page = await shown.Content.ReadAsStringAsync();
        page.Should().Contain("GET /sixty/{id}").And.Contain("GET /forty").And.Contain("Back to the routes").And.Contain("href=\"./picollo\"");
        (await server.Client.GetStringAsync("/picollo")).Should().Contain($"href=\"?profile={stored.Id}\"");
        (await server.Client.GetStringAsync("/picollo?profile=latest")).Should().Be(page);
        using HttpResponseMessage again = await server.Client.PostAsync(new Uri($"/picollo?profile={stored.Id}", UriKind.Relative), null);
        (await again.Content.ReadAsStringAsync()).Should().Be(page, "curl -X POST -L follows a redirect with a POST");
    }

    [FactNeeding(Need.PerfEvents)]
    public async Task Only_one_profile_is_taken_at_a_time()
    {
        var end = new ProfileEnd();
        await using PageServer server = await StartAsync(time: end);
        Task<HttpResponseMessage> first = PostAsync(server);
        await Eventually.IsTrueAsync(() => end.IsAwaited);
        using HttpResponseMessage refused = await PostAsync(server);
        end.Fire();

        refused.StatusCode.Should().Be(HttpStatusCode.Conflict);
        (await refused.Content.ReadAsStringAsync()).Should().StartWith("Another profile is being taken.");
        (await first).StatusCode.Should().Be(HttpStatusCode.SeeOther);
        await TakeAsync(server, end, () => Eventually.IsTrueAsync(() => end.IsAwaited));
        ProfilesOf(server).All.Should().HaveCount(2);
    }

    [FactNeeding(Need.PerfEvents)]
    public async Task A_profile_ends_when_its_client_disconnects()
    {
        await using PageServer server = await StartAsync(factor: 1); // takes ten seconds if it does not end early
        using var leaving = new CancellationTokenSource();
        Task<HttpResponseMessage> posting = PostAsync(server, cancellation: leaving.Token);
        await Eventually.IsTrueAsync(() => FlowRecorder.IsActive);

        leaving.Cancel();

        await posting.Invoking(it => it).Should().ThrowAsync<OperationCanceledException>();
        await Eventually.IsTrueAsync(() => !FlowRecorder.IsActive);
        ProfilesOf(server).All.Should().BeEmpty();
    }

    [FactNeeding(Need.PerfEvents)]
    public async Task A_profile_ends_with_the_application()
    {
        PageServer server = await StartAsync(factor: 1);
        Task<HttpResponseMessage> posting = PostAsync(server);
        await Eventually.IsTrueAsync(() => FlowRecorder.IsActive);

        Task stopping = server.Application.StopAsync();

        using HttpResponseMessage posted = await posting;
        posted.StatusCode.Should().Be(HttpStatusCode.ServiceUnavailable);
        await stopping;
        FlowRecorder.IsActive.Should().BeFalse();
        await server.DisposeAsync();
    }

    [Theory]
    [InlineData("Sec-Fetch-Site", "cross-site", true)]
    [InlineData("Sec-Fetch-Site", "same-site", true)]
    [InlineData("Origin", "https://evil.example", true)]
    [InlineData("Origin", "null", true)]
    [InlineData("Sec-Fetch-Site", "same-origin", false)]
    [InlineData("Origin", "https://{host}", false)] // a proxy terminates TLS
    public async Task Only_a_page_of_another_site_cannot_take_a_profile(string header, string value, bool isForbidden)
    {
        await using PageServer server = await StartAsync(isOpen: true);
        using HttpRequestMessage request = new(HttpMethod.Post, "/picollo");
        request.Headers.TryAddWithoutValidation(header, value.Replace("{host}", server.Address.Authority, StringComparison.Ordinal));

        using HttpResponseMessage response = await server.Client.SendAsync(request);

        (response.StatusCode == HttpStatusCode.Forbidden).Should().Be(isForbidden);
        ProfilesOf(server).All.Count.Should().BeLessThanOrEqualTo(isForbidden ? 0 : 1);
    }

    [FactNeeding(Need.PerfEvents)]
    public async Task The_last_profiles_are_kept_and_two_can_be_compared()
    {
        await using PageServer server = await StartAsync();
        for (int i = 0; i < CpuProfiles.MaxProfiles + 1; i++)
        {
            using HttpResponseMessage posted = await PostAsync(server);
        }

        IReadOnlyList<StoredProfile> all = ProfilesOf(server).All;
        all.Should().HaveCount(CpuProfiles.MaxProfiles).And.BeInDescendingOrder(stored => stored.Profile.StartTime);
        string page = await server.Client.GetStringAsync($"/picollo?profile={all[0].Id}");
        page.Should().Contain($"href=\"?profile={all[0].Id}&amp;pprof\"");
        using HttpResponseMessage pprof = await server.Client.GetAsync($"/picollo?profile={all[0].Id}&pprof");
        pprof.Content.Headers.ContentDisposition!.FileName!.Trim('"').Should().Be(
            FormattableString.Invariant($"profile-{all[0].Profile.StartTime:yyyyMMdd-HHmmss}.pb.gz"));
        CpuProfile.ReadPprof(await pprof.Content.ReadAsStreamAsync()).ToString().Should().Be(all[0].Profile.ToString());
        string compare = $"?profile={all[0].Id}&amp;compare={all[1].Id}";
        page.Should().Contain($"href=\"{compare}\"");
        (await server.Client.GetStringAsync("/picollo" + WebUtility.HtmlDecode(compare))).Should()
            .Contain(
                FormattableString.Invariant($"{all[1].Profile.StartTime:HH:mm:ss} UTC and {all[0].Profile.StartTime:HH:mm:ss} UTC"),
                "the earlier one is first");
        using HttpResponseMessage none = await server.Client.GetAsync("/picollo?profile=0123456789abcdef");
        none.StatusCode.Should().Be(HttpStatusCode.NotFound);
        (await none.Content.ReadAsStringAsync()).Should().Contain("keeps the last 8 profiles");
    }

    [Fact]
    public void The_memory_for_profiles_is_limited()
    {
        using ServiceProvider services = new ServiceCollection().AddLogging().AddPicollo().BuildServiceProvider();
        CpuProfiles profiles = services.GetRequiredService<CpuProfiles>();
        StoredProfile first = Store(CpuProfiles.MaxNodes / 2), second = Store(CpuProfiles.MaxNodes / 2);
        profiles.All.Should().Equal(second, first);

        StoredProfile small = Store(1);
        profiles.All.Should().Equal([small, second], "the oldest profile is removed");

        StoredProfile large = Store(CpuProfiles.MaxNodes + 1);
        profiles.All.Should().Equal([large], "the last profile is kept, regardless of its size");

        StoredProfile Store(int nodes)
        {
            StoredProfile stored = profiles.Store(new CpuProfile(new ProfileData(Tree(nodes))));
            stored.NodeCount.Should().Be(nodes);
            return stored;
        }

        static CpuProfileNode Tree(int nodes)
        {
            CpuProfileNode root = new(new CpuProfileFrame("all", "", CpuProfileFrameKind.Group));
            for (int i = 1; i < nodes; i++)
            {
                root.Add([new CpuProfileFrame($"F{i}", "App.dll", CpuProfileFrameKind.Managed)], 1);
            }

            return root;
        }
    }

    [Fact]
    public async Task The_server_metrics_exclude_taking_a_profile_but_not_other_requests_for_the_page()
    {
        ConcurrentQueue<(object? Method, object? Status)> measured = [];
        PageServer server = await StartAsync(isOpen: true);
        using MeterListener listener = Requests.CpuTimeInstrumentTests.Listen(
            server.Application.Services,
            (_, tags) => measured.Enqueue((tags["http.request.method"], tags["http.response.status_code"])),
            "http.server.request.duration");
        using HttpRequestMessage ofOtherSite = new(HttpMethod.Post, "/picollo");
        ofOtherSite.Headers.Add("Sec-Fetch-Site", "cross-site");

        (await PostAsync(server)).Dispose();
        (await server.Client.GetAsync("/picollo")).Dispose();
        (await server.Client.SendAsync(ofOtherSite)).Dispose();
        await server.DisposeAsync(); // the last measurement is recorded after the response

        measured.Should().BeEquivalentTo(new (object?, object?)[] { ("GET", 200), ("POST", 403) });
    }

    [FactNeeding(Need.PerfEvents)]
    public async Task Requests_above_the_budget_keep_their_profile()
    {
        await using PageServer server = await StartAsync(budget: TimeSpan.FromMilliseconds(80));
        FlowRecorder.IsActive.Should().BeTrue("with a budget, requests are always sampled");
        for (int i = 0; i < 6; i++)
        {
            (await server.Client.GetStringAsync("/expensive")).Should().Be("done");
            (await server.Client.GetStringAsync("/cheap")).Should().Be("done");
        }

        await Eventually.IsTrueAsync(() => ProfilesOf(server).OverBudget.Count == 4);
        ProfilesOf(server).OverBudget.Should().OnlyContain(flow => flow.Label == new FlowLabel("GET", "/expensive"))
            .And.OnlyContain(flow => flow.CpuUsage.Total > TimeSpan.FromMilliseconds(80) && flow.WallTime >= flow.CpuUsage.Total / 2)
            .And.BeInDescendingOrder(flow => flow.EndTimeUtc);
        CpuProfile profile = ProfilesOf(server).ProfilesOf(ProfilesOf(server).OverBudget)[0];
        SamplesOf(profile, nameof(BurnSixty)).Should().BePositive();
        SamplesOf(profile, nameof(BurnForty)).Should().Be(0);

        string page = await server.Client.GetStringAsync("/picollo");
        string link = System.Text.RegularExpressions.Regex.Match(page, "href=\"(\\?profile=[0-9a-f]{16})\">4 CPU profiles</a>").Groups[1].Value;
        string profiles = await server.Client.GetStringAsync("/picollo" + link);
        profiles.Should().Contain("Requests to GET /expensive above the CPU budget").And.Contain(nameof(BurnSixty)).And.NotContain(nameof(BurnForty));
    }

    [FactNeeding(Need.PerfEvents)]
    public async Task Profiles_of_requests_to_another_application_are_not_kept()
    {
        await using PageServer one = await StartAsync(budget: TimeSpan.FromMilliseconds(80));
        await using PageServer other = await StartAsync(budget: TimeSpan.FromMilliseconds(80));
        await RequestAsync(other, "/expensive", times: 2);
        await RequestAsync(one, "/expensive", times: 1);

        await Eventually.IsTrueAsync(() => ProfilesOf(one).OverBudget.Count > 0 && ProfilesOf(other).OverBudget.Count > 1);
        ProfilesOf(one).OverBudget.Should().ContainSingle().Which.Label.Should().Be(new FlowLabel("GET", "/expensive"));
        ProfilesOf(other).OverBudget.Should().HaveCount(2);
    }

    [FactNeeding(Need.PerfEvents)]
    public async Task Named_work_and_work_after_a_response_are_attributed_to_their_names()
    {
        var end = new ProfileEnd();
        await using PageServer server = await StartAsync(time: end);
        CpuProfile profile = await TakeAsync(server, end, async () =>
        {
            await RequestAsync(server, "/later", times: 20);
            await RequestAsync(server, "/hidden", times: 10);
            await RequestAsync(server, "/middleware", times: 10);
            await Eventually.IsTrueAsync(() => Volatile.Read(ref _laterCount) == 20);
        });

        IReadOnlyList<CpuProfile> parts = profile.SplitByRoute();
        CpuProfile work = parts.Should().ContainSingle(part => part.HttpMethod == null && part.Route == "GET /later").Subject;
        CpuProfile later = parts.Should().ContainSingle(part => part.HttpMethod == "GET" && part.Route == "/later").Subject;
        CpuProfile none = parts.Should().ContainSingle(part => part.Route == CpuProfile.NoRequest).Subject;
        (SamplesOf(work, nameof(BurnSixty)) > 0, SamplesOf(work, nameof(BurnForty))).Should().Be((true, 0));
        (SamplesOf(later, nameof(BurnForty)) > 0, SamplesOf(later, nameof(BurnSixty))).Should().Be((true, 0));
        (SamplesOf(none, nameof(BurnHidden)) > 0, SamplesOf(none, nameof(BurnSixty)) + SamplesOf(none, nameof(BurnForty))).Should().Be((true, 0));
        CpuProfile middleware = parts.Should().ContainSingle(part => part.Label!.ToString() == "GET (no endpoint)").Subject;
        SamplesOf(middleware, nameof(BurnForty)).Should().BePositive();
        parts.Should().NotContain(part => part.Route == "/hidden", "it is excluded from metrics");

        string page = await server.Client.GetStringAsync("/picollo?profile=latest");
        page.Should().Contain("GET /later (named work)");
        await TakeAsync(server, end, () => RequestAsync(server, "/later", times: 5));
        string[] ids = [.. ProfilesOf(server).All.Select(stored => stored.Id)];
        (await server.Client.GetStringAsync($"/picollo?profile={ids[0]}&compare={ids[1]}")).Should().Contain("GET /later (named work)");
    }

    private Task<PageServer> StartAsync(
        bool profiling = true, double factor = 100, TimeSpan? budget = null, bool isOpen = false, TimeProvider? time = null) =>
        PageServer.StartAsync(
            application =>
            {
                IEndpointConventionBuilder page = application.MapPicollo();
                _ = isOpen ? page.AllowAnonymous() : page;
                application.UsePicollo();
                application.MapGet("/sixty/{id}", () => AnswerAsync(BurnSixty, 3));
                application.MapGet("/forty", () => AnswerAsync(BurnForty, 2));
                application.MapGet("/expensive", () => AnswerAsync(BurnSixty, 200));
                application.MapGet("/cheap", () => AnswerAsync(BurnForty, 1));
                application.Use(async (context, next) =>
                {
                    if (context.Request.Path == "/middleware")
                    {
                        await context.Response.WriteAsync(await AnswerAsync(BurnForty, 20));
                        return;
                    }

                    await next(context);
                });
                application.MapGet("/hidden", () => AnswerAsync(BurnHidden, 20)).DisableHttpMetrics();
                application.MapGet("/later", async (WorkMeter meter) =>
                {
                    using (meter.Measure("GET /later"))
                    {
                        await AnswerAsync(BurnSixty, 20);
                    }

                    _ = Task.Run(async () =>
                    {
                        await AnswerAsync(BurnForty, 20);
                        Interlocked.Increment(ref _laterCount);
                    });
                    return "done";
                });
            },
            options => (options.EnableProfiling, options.Requests.CpuBudget) = (profiling, budget),
            builder => builder.Services.AddSingleton(time ?? new FastTimers(factor)));
}
