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
    public async Task A_stranger_behind_nginx_gets_401_from_every_endpoint_and_a_client_with_the_token_200()
    {
        List<string?> reasons = [];
        await using PageServer server = await PageServer.StartAsync(
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

        string token = server.Log.Lines.Single(line => line.Contains("#token=", StringComparison.Ordinal)).Split("#token=")[1];
        using FormUrlEncodedContent form = new([new("token", token)]);
        using HttpResponseMessage accepted = await stranger.PostAsync("/picollo", form);
        accepted.StatusCode.Should().Be(HttpStatusCode.SeeOther);
        string cookie = accepted.Headers.GetValues("Set-Cookie").Single().Split(';')[0];
        foreach ((string name, string value) in new[] { ("Cookie", cookie), ("Authorization", $"Bearer {token}") })
        {
            using HttpRequestMessage request = new(HttpMethod.Get, "/picollo/json");
            request.Headers.Add(name, value);
            (await stranger.SendAsync(request)).StatusCode.Should().Be(HttpStatusCode.OK);
        }
    }
}
