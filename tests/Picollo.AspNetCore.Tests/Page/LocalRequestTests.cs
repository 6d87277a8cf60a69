using System.Net;
using Microsoft.AspNetCore.Http;
using Picollo.AspNetCore.Page;

namespace Picollo.AspNetCore.Tests.Page;

public class LocalRequestTests
{
    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("127.8.9.10")]
    [InlineData("::1")]
    [InlineData("::ffff:127.0.0.1")]
    public void A_loopback_connection_is_local(string address) => GetDenialReason(address: address).Should().BeNull();

    [Theory]
    [InlineData(null)]
    [InlineData("0.0.0.0")]
    [InlineData("10.0.0.1")]
    [InlineData("::ffff:10.0.0.1")]
    [InlineData("fe80::1")]
    public void Any_other_connection_is_not_local(string? address) => GetDenialReason(address: address).Should().Contain("loopback address");

    [Theory]
    [InlineData("Forwarded", "for=192.0.2.1")]
    [InlineData("forwarded", "")]
    [InlineData("X-Forwarded-For", "127.0.0.1")]
    [InlineData("X-FORWARDED-PROTO", "https")]
    [InlineData("X-Forwarded-Host", "example.com")]
    [InlineData("X-Original-For", "127.0.0.1:1")]
    [InlineData("X-Real-IP", "192.0.2.1")]
    [InlineData("Via", "1.1 proxy")]
    [InlineData("X-Envoy-External-Address", "192.0.2.1")]
    public void A_request_forwarded_by_a_proxy_is_not_local(string header, string value) =>
        GetDenialReason(request => request.Headers[header] = value).Should().Contain("proxy");

    [Fact]
    public void An_HTTP_1_0_request_is_not_local() =>
        GetDenialReason(request => request.Protocol = "HTTP/1.0").Should().Contain("proxy");

    [Theory]
    [InlineData("localhost")]
    [InlineData("LOCALHOST:5000")]
    [InlineData("127.0.0.1:5000")]
    [InlineData("127.1.2.3")]
    [InlineData("[::1]")]
    [InlineData("[::1]:5000")]
    public void A_local_host_is_local(string host) => GetDenialReason(request => request.Host = new HostString(host)).Should().BeNull();

    [Theory]
    [InlineData("")]
    [InlineData("example.com")]
    [InlineData("localhost.example.com")]
    [InlineData("127.0.0.1.example.com")]
    [InlineData("10.0.0.1:5000")]
    [InlineData("[2001:db8::1]:5000")]
    public void A_host_name_that_an_attacker_can_resolve_to_this_machine_is_not_local(string host) =>
        GetDenialReason(request => request.Host = new HostString(host)).Should().Contain("Host");

    [Theory]
    [InlineData("http://localhost:5000")]
    [InlineData("HTTP://LOCALHOST:5000")]
    public void A_request_from_the_page_itself_is_local(string origin) => GetDenialReason(request => request.Headers.Origin = origin).Should().BeNull();

    [Theory]
    [InlineData("http://localhost:5001")]
    [InlineData("https://localhost:5000")]
    [InlineData("http://example.com")]
    [InlineData("null")]
    [InlineData("")]
    public void A_request_from_a_page_of_another_origin_is_not_local(string origin) =>
        GetDenialReason(request => request.Headers.Origin = origin).Should().Contain("origin");

    [Theory]
    [InlineData("cross-site", "no-cors", "image")]
    [InlineData("same-site", "no-cors", "script")]
    [InlineData("cross-site", "no-cors", "empty")]
    [InlineData("cross-site", "navigate", "iframe")]
    [InlineData("same-site", "websocket", "websocket")]
    public void A_cross_site_request_without_an_origin_is_not_local(string site, string mode, string destination) =>
        GetDenialReason(request => SetFetch(request, site, mode, destination)).Should().Contain("origin");

    [Theory]
    [InlineData("none", "navigate", "document")]
    [InlineData("same-origin", "cors", "empty")]
    [InlineData("same-origin", "no-cors", "image")]
    [InlineData("cross-site", "navigate", "document")]
    public void A_link_that_a_user_follows_is_local(string site, string mode, string destination) =>
        GetDenialReason(request => SetFetch(request, site, mode, destination)).Should().BeNull();

    private static void SetFetch(HttpRequest request, string site, string mode, string destination)
    {
        request.Headers["Sec-Fetch-Site"] = site;
        request.Headers["Sec-Fetch-Mode"] = mode;
        request.Headers["Sec-Fetch-Dest"] = destination;
    }

    private static string? GetDenialReason(Action<HttpRequest>? change = null, string? address = "127.0.0.1")
    {
        DefaultHttpContext context = new();
        context.Connection.RemoteIpAddress = address is null ? null : IPAddress.Parse(address);
        context.Request.Scheme = "http";
        context.Request.Protocol = "HTTP/1.1";
        context.Request.Host = new HostString("localhost", 5000);
        change?.Invoke(context.Request);
        return LocalRequest.GetDenialReason(context);
    }
}
