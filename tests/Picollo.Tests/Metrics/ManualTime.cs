namespace Picollo.Tests.Metrics;

/// <summary>A clock that shows the time to which it is set.</summary>
internal sealed class ManualTime : TimeProvider
{
    public DateTimeOffset Now { get; set; }

    /// <summary>The exception that a reading throws; null for none.</summary>
    public Exception? Failure { get; set; }

    public override DateTimeOffset GetUtcNow() => Failure is null ? Now : throw Failure;
}
