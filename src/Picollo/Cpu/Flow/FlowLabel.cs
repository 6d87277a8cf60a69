namespace Picollo.Cpu;

/// <summary>The purpose of a watched flow: a request to a route, or named work.</summary>
/// <param name="Method">The HTTP method of a request; empty for named work.</param>
/// <param name="Name">The route, or the name.</param>
internal sealed record FlowLabel(string Method, string Name)
{
    /// <summary>The name of <see cref="None"/>.</summary>
    public const string NoRequest = "(no request)";

    /// <summary>The label of requests that are not shown separately: they count as work outside requests.</summary>
    public static readonly FlowLabel None = new("", NoRequest);

    /// <summary>Returns method and name.</summary>
    /// <returns>A string such as <c>GET /users/{id}</c>.</returns>
    public override string ToString() => Method.Length == 0 ? Name : $"{Method} {Name}";
}
