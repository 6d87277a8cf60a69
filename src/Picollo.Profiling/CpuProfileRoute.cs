using Picollo.Cpu;

namespace Picollo.Profiling;

/// <summary>The part of a <see cref="CpuProfile"/> that belongs to a route.</summary>
/// <param name="Method">The HTTP method; empty for named work, for Picollo's own page, and for samples outside routes.</param>
/// <param name="Route">The pattern of the route as on the page of <c>Picollo.AspNetCore</c>, such as <c>/users/{id}</c>; the name of named
/// work; <c>(Picollo page)</c>; or <see cref="NoRequest"/>.</param>
/// <param name="Profile">The samples.</param>
/// <remarks>Immutable and thread-safe.</remarks>
public sealed record CpuProfileRoute(string Method, string Route, CpuProfile Profile)
{
    /// <summary>The <see cref="Route"/> of samples outside requests and named work: <c>(no request)</c>.</summary>
    public const string NoRequest = FlowLabel.NoRequest;

    /// <summary>Returns method and route.</summary>
    /// <returns>For example <c>GET /users/{id}</c>.</returns>
    public override string ToString() => Method.Length == 0 ? Route : $"{Method} {Route}";
}
