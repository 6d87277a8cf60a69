using Microsoft.AspNetCore.Http;

namespace Picollo.AspNetCore.Requests;

/// <summary>The methods that OpenTelemetry's HTTP conventions know: those of RFC 9110, PATCH (RFC 5789) and QUERY.</summary>
internal static class KnownMethods
{
    /// <summary>What any other method is called.</summary>
    public const string Other = "_OTHER";

    /// <summary>The method, case-sensitive as the protocol has it, or <see cref="Other"/>.</summary>
    public static string NameOf(string method) => method switch
    {
        "GET" => HttpMethods.Get,
        "POST" => HttpMethods.Post,
        "PUT" => HttpMethods.Put,
        "DELETE" => HttpMethods.Delete,
        "PATCH" => HttpMethods.Patch,
        "HEAD" => HttpMethods.Head,
        "OPTIONS" => HttpMethods.Options,
        "CONNECT" => HttpMethods.Connect,
        "TRACE" => HttpMethods.Trace,
        "QUERY" => "QUERY",
        _ => Other,
    };
}
