namespace Picollo.AspNetCore.Tests.Page;

public class LocalRequestTests
{
    [Theory]
    [InlineData("127.0.0.1", null), InlineData("127.8.9.10", null), InlineData("::1", null), InlineData("::ffff:127.0.0.1", null)]
    [InlineData(null, "loopback address"), InlineData("0.0.0.0", "loopback address"), InlineData("10.0.0.1", "loopback address")]
    [InlineData("::ffff:10.0.0.1", "loopback address"), InlineData("fe80::1", "loopback address")]
    public void Only_a_loopback_connection_is_local(string? address, string? reason) => Check(reason, address: address);

    [Theory]
    [InlineData("Forwarded", "for=192.0.2.1", "proxy"), InlineData("forwarded", "", "proxy")]
    [InlineData("X-Forwarded-For", "127.0.0.1", "proxy"), InlineData("X-FORWARDED-PROTO", "https", "proxy")]
    [InlineData("X-Forwarded-Host", "example.com", "proxy"), InlineData("X-Original-For", "127.0.0.1:1", "proxy")]
    [InlineData("X-Real-IP", "192.0.2.1", "proxy"), InlineData("Via", "1.1 proxy", "proxy")]
    [InlineData("X-Envoy-External-Address", "192.0.2.1", "proxy"), InlineData("Host", "localhost", null)]
    [InlineData("Host", "LOCALHOST:5000", null), InlineData("Host", "127.0.0.1:5000", null), InlineData("Host", "127.1.2.3", null)]
    [InlineData("Host", "[::1]", null), InlineData("Host", "[::1]:5000", null), InlineData("Host", "", "Host")]
    [InlineData("Host", "example.com", "Host"), InlineData("Host", "localhost.example.com", "Host")]
    [InlineData("Host", "127.0.0.1.example.com", "Host"), InlineData("Host", "10.0.0.1:5000", "Host")]
    [InlineData("Host", "[2001:db8::1]:5000", "Host"), InlineData("Origin", "http://localhost:5000", null)]
    [InlineData("Origin", "HTTP://LOCALHOST:5000", null), InlineData("Origin", "http://localhost:5001", "origin")]
    [InlineData("Origin", "https://localhost:5000", "origin"), InlineData("Origin", "http://example.com", "origin")]
    [InlineData("Origin", "null", "origin"), InlineData("Origin", "", "origin")]
    public void Requests_of_proxies_for_other_hosts_and_of_other_origins_are_not_local(string header, string value, string? reason) =>
        Check(reason, request => request.Headers[header] = value);

    [Fact]
    public void An_HTTP_1_0_request_is_not_local() => Check("proxy", request => request.Protocol = "HTTP/1.0");

    [Theory]
    [InlineData("cross-site", "no-cors", "image", "origin"), InlineData("same-site", "no-cors", "script", "origin")]
    [InlineData("cross-site", "no-cors", "empty", "origin"), InlineData("cross-site", "navigate", "iframe", "origin")]
    [InlineData("same-site", "websocket", "websocket", "origin"), InlineData("none", "navigate", "document", null)]
    [InlineData("same-origin", "cors", "empty", null), InlineData("same-origin", "no-cors", "image", null)]
    [InlineData("cross-site", "navigate", "document", null)]
    public void Of_cross_site_requests_only_a_followed_link_is_local(string site, string mode, string destination, string? reason) =>
        Check(reason, request =>
        {
            request.Headers["Sec-Fetch-Site"] = site;
            request.Headers["Sec-Fetch-Mode"] = mode;
            request.Headers["Sec-Fetch-Dest"] = destination;
        });

    private static void Check(string? reason, Action<HttpRequest>? change = null, string? address = "127.0.0.1")
    {
        DefaultHttpContext context = new();
        context.Connection.RemoteIpAddress = address is null ? null : IPAddress.Parse(address);
        context.Request.Scheme = "http";
        context.Request.Protocol = "HTTP/1.1";
        context.Request.Host = new HostString("localhost", 5000);
        change?.Invoke(context.Request);

        string? actual = LocalRequest.GetDenialReason(context);
        (actual is null ? reason is null : reason is not null && actual.Contains(reason)).Should().BeTrue(actual);
    }
}
