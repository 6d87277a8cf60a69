using System.Net;
using Microsoft.AspNetCore.Builder;
using Picollo.AspNetCore.Page;
using Picollo.AspNetCore.Tests.Page;

namespace Picollo.Peers.Tests.Nginx;

/// <summary>Tests the page of an application in Development behind an nginx of another user. Its requests have no trace of a proxy.</summary>
[Trait("Category", "Long")]
public class NginxTests
{
    private const string User = "www-data";

    private static readonly (HttpMethod Method, string Path)[] Requests =
    [
        (HttpMethod.Get, "/picollo"), (HttpMethod.Get, "/picollo/"), (HttpMethod.Head, "/picollo"), (HttpMethod.Post, "/picollo"),
        (HttpMethod.Get, "/picollo/json"), (HttpMethod.Get, "/picollo/metrics"), (HttpMethod.Get, "/picollo/events"),
        (HttpMethod.Get, "/picollo/mark?show=x"), (HttpMethod.Post, "/picollo/diff?show=x"), (HttpMethod.Get, "/picollo?profile=latest"),
    ];

    [FactNeeding(Need.Linux, Need.Root, Need.Nginx)]
    public async Task A_stranger_behind_nginx_gets_401_from_every_endpoint()
    {
        List<string?> reasons = [];
        await using PageServer server = await StartAsync(reasons);
        await using NginxServer nginx = new(server.Address, User);
        using HttpClient stranger = await nginx.ConnectAsync();
        foreach ((HttpMethod method, string path) in Requests)
        {
            using HttpRequestMessage request = new(method, path);
            request.Headers.Add("Sec-Fetch-Site", "none");
            request.Headers.Add("Sec-Fetch-Mode", "navigate");
            request.Headers.Add("Sec-Fetch-Dest", "document");
            using HttpResponseMessage response = await stranger.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);

            response.StatusCode.Should().Be(HttpStatusCode.Unauthorized, "{0} {1}", method, path);
            if (method != HttpMethod.Head)
            {
                (await response.Content.ReadAsStringAsync()).TrimEnd('\n').Should().NotContain("\n").And.Contain("Authorization: Bearer");
            }
        }

        reasons.Should().HaveCount(Requests.Length).And.OnlyContain(reason => reason == null, "the requests look local");
        (await server.Client.GetAsync("/picollo")).StatusCode.Should().Be(HttpStatusCode.OK, "the same user has access");
    }

    [FactNeeding(Need.Linux, Need.Root, Need.Nginx)]
    public async Task The_token_opens_the_page_behind_nginx()
    {
        await using PageServer server = await StartAsync([]);
        string token = server.Log.Lines.Single(line => line.Contains("#token=", StringComparison.Ordinal)).Split("#token=")[1];
        await using NginxServer nginx = new(server.Address, User);
        using HttpClient client = await nginx.ConnectAsync();

        using FormUrlEncodedContent form = new([new("token", token)]);
        using HttpResponseMessage accepted = await client.PostAsync("/picollo", form);
        accepted.StatusCode.Should().Be(HttpStatusCode.SeeOther);
        string cookie = accepted.Headers.GetValues("Set-Cookie").Single().Split(';')[0];
        foreach ((string name, string value) in new[] { ("Cookie", cookie), ("Authorization", $"Bearer {token}") })
        {
            using HttpRequestMessage request = new(HttpMethod.Get, "/picollo/json");
            request.Headers.Add(name, value);
            (await client.SendAsync(request)).StatusCode.Should().Be(HttpStatusCode.OK);
        }
    }

    private static Task<PageServer> StartAsync(List<string?> reasons) => PageServer.StartAsync(
        application =>
        {
            application.Use((context, next) =>
            {
                reasons.Add(LocalRequest.GetDenialReason(context));
                return next(context);
            });
            application.MapPicollo();
        },
        options => options.EnableProfiling = true);
}
