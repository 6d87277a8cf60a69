namespace Picollo.Cpu;

/// <summary>What the flow of a watcher is for: a request to a route, or named work.</summary>
/// <param name="Method">The HTTP method of a request; empty for named work.</param>
/// <param name="Name">The route, or the name.</param>
internal sealed record FlowLabel(string Method, string Name)
{
    /// <summary>The name of <see cref="None"/>.</summary>
    public const string NoRequest = "(no request)";

    /// <summary>Of a request that is not to be shown: as what belongs to no request.</summary>
    public static readonly FlowLabel None = new("", NoRequest);

    /// <summary>Both.</summary>
    /// <returns>For example <c>GET /users/{id}</c>.</returns>
    public override string ToString() => Method.Length == 0 ? Name : $"{Method} {Name}";
}
