namespace Picollo.Diagnostics;

/// <summary>What the managed loop tells and passes time by; a structure, so that its calls are the loop's own code.</summary>
internal interface IJitterClock
{
    /// <summary>Nanoseconds.</summary>
    ulong Now { get; }

    /// <summary>Sleeps until the clock shows <paramref name="due"/>; returns at once where it has. An error number, or 0.</summary>
    int SleepUntil(ulong due);
}
