namespace Picollo.AspNetCore.Requests;

/// <summary>Says of an endpoint that its responses end when the client goes: their wall time tells nothing.</summary>
internal sealed class EndlessMetadata
{
    public static EndlessMetadata Instance { get; } = new();
}
