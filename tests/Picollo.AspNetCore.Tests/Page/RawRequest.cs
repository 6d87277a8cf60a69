using System.Net.Sockets;
using System.Text;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Sends requests byte by byte as nginx 1.29.7 and later forward them with <c>proxy_pass http://127.0.0.1:5000;</c>: with
/// HTTP/1.1, the Host of the upstream, no header of a proxy, and the headers of the client's browser.</summary>
internal static class RawRequest
{
    private const string BrowserHeaders =
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n"
        + "Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate\r\n"
        + "Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\nSec-Fetch-User: ?1\r\n";

    /// <summary>Sends a request and returns the first part of the response, which contains the headers and the body of a refusal.</summary>
    /// <param name="server">The address of the server.</param>
    /// <param name="method">The method.</param>
    /// <param name="path">The path and query.</param>
    /// <param name="user">The user that opens the connection; null for the user that runs the tests.</param>
    /// <param name="headers">More lines with headers, each with a line ending.</param>
    /// <param name="accept">The Accept header.</param>
    /// <param name="body">The body of a POST.</param>
    public static string Send(
        Uri server, string method, string path, uint? user = null, string headers = "", string accept = "*/*", string body = "")
    {
        using Socket socket = user is { } id ? AsUser.Run(id, Open) : Open();
        socket.ReceiveTimeout = 30_000;
        socket.Connect(IPAddress.Parse(server.Host), server.Port);
        string length = method == "POST" ? $"Content-Length: {body.Length}\r\n" : "";
        socket.Send(Encoding.ASCII.GetBytes(
            $"{method} {path} HTTP/1.1\r\nHost: {server.Authority}\r\n{BrowserHeaders}Accept: {accept}\r\n{headers}{length}\r\n{body}"));
        byte[] buffer = new byte[1 << 16];
        StringBuilder response = new();
        do
        {
            int received = socket.Receive(buffer);
            response.Append(Encoding.UTF8.GetString(buffer, 0, received));
            if (received == 0)
            {
                break;
            }
        }
        while (!IsComplete(response.ToString(), hasBody: method != "HEAD"));

        return response.ToString();

        Socket Open() => new(IPAddress.Parse(server.Host).AddressFamily, SocketType.Stream, ProtocolType.Tcp);
    }

    // Responses with a length are read to their end. Of other responses (pages, streams of events), only the start matters.
    private static bool IsComplete(string response, bool hasBody)
    {
        int end = response.IndexOf("\r\n\r\n", StringComparison.Ordinal);
        const string Length = "\r\nContent-Length: ";
        int length = response.IndexOf(Length, StringComparison.Ordinal);
        return end >= 0 && (!hasBody || length < 0 || length > end
            || Encoding.UTF8.GetByteCount(response.AsSpan(end + 4)) >= int.Parse(response.AsSpan(length + Length.Length).ToString().Split('\r')[0], null));
    }
}
