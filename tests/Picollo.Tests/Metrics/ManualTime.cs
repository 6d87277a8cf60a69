namespace Picollo.Tests.Metrics;

/// <summary>A clock that shows the time to which it is set.</summary>
internal sealed class ManualTime : TimeProvider
{
    public DateTimeOffset Now { get; set; }

    public override DateTimeOffset GetUtcNow() => Now;
}
