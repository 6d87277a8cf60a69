namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Tests requests from this machine that another user, such as the user of a proxy, may have sent.</summary>
public class StrangerTests
{
    private const uint Stranger = 12_345;

    public static TheoryData<string, string> Requests => new()
    {
        { "GET", "/picollo" },
        { "GET", "/picollo/" },
        { "HEAD", "/picollo" },
        { "POST", "/picollo" },
        { "DELETE", "/picollo" },
        { "GET", "/picollo?profile=latest" },
        { "GET", "/picollo/json" },
        { "GET", "/picollo/metrics" },
        { "GET", "/picollo/events" },
        { "GET", "/picollo/mark?show=x" },
        { "POST", "/picollo/diff?show=x" },
    };

    [TheoryNeeding(Need.Linux, Need.Root)]
    [MemberData(nameof(Requests))]
    public async Task A_request_of_another_user_as_nginx_sends_it_gets_401(string method, string path)
    {
        await using PageServer server = await PageServer.StartAsync(configure: options => options.EnableProfiling = true);

        string response = RawRequest.Send(server.Address, method, path, Stranger);

        CheckRefusal(response, method);
        FlowRecorder.IsActive.Should().BeFalse("no profile is taken");
    }

    /// <summary>Returns the start of the response to a client that has access, without profiles.</summary>
    internal static string StatusWithAccess(string method, string path) => (method, path) switch
    {
        ("POST" or "DELETE", "/picollo") => "HTTP/1.1 405 ",
        (_, "/picollo/mark?show=x" or "/picollo/diff?show=x") => "HTTP/1.1 404 ",
        _ => "HTTP/1.1 200 ",
    };

    internal static void CheckRefusal(string response, string method)
    {
        response.Should().StartWith("HTTP/1.1 401 Unauthorized\r\n").And.Contain("\r\nWWW-Authenticate: Bearer\r\n").And.Contain("\r\nCache-Control: no-store\r\n");
        string body = response[(response.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4)..];
        if (method == "HEAD")
        {
            body.Should().BeEmpty();
        }
        else
        {
            body.TrimEnd('\n').Should().NotContain("\n", "it is one line").And.Contain("the application logged").And.Contain("Authorization: Bearer");
        }
    }
}
