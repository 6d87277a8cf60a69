using Picollo.Diagnostics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>Determines what this user is permitted to count, and describes counters that are unavailable.</summary>
internal sealed class CounterNotes
{
    private const string Probe = "context-switches"; // occurs only in the kernel, and requires no PMU
    private const string NotPermitted = ", or grant CAP_"; // not in a container, where sysctl is not permitted

    private readonly bool _isVerbose;
    private readonly string? _refusal;

    /// <summary>Checks the permission by opening a counter for the kernel code of this process.</summary>
    public CounterNotes(bool isVerbose)
        : this(isVerbose, RefusalHere())
    {
    }

    /// <param name="refusal">The reason why kernel code cannot be counted; null if it can be counted.</param>
    internal CounterNotes(bool isVerbose, string? refusal) => (_isVerbose, _refusal) = (isVerbose, refusal);

    public bool CountsKernel => _refusal is null;

    /// <summary>Describes what is not counted and why. Lists each reason once.</summary>
    public IEnumerable<string> Describe(CommandRun? run)
    {
        ILookup<bool, KeyValuePair<string, MeasurementUnavailableException>> isRefused = (run ?? new()).UnavailableCounters
            .ToLookup(counter => counter.Value.Message == $"{counter.Key}: {_refusal}");
        return
        [
            .. Refused([.. isRefused[true].Select(counter => counter.Key)], run),
            .. UnavailableCounterText.Describe(isRefused[false]).Select(text => $"not counted: {text}"),
        ];
    }

    private static string? RefusalHere()
    {
        if (!OperatingSystem.IsLinux())
        {
            return null; // each counter reports this itself
        }

        PerfEventCounterSessionFactory probe = PerfEventCounterSession.Factory.WithPerfEvents(Probe).WithKernel(true);
        _ = probe.TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure);
        session?.Dispose();
        return failure?.Message.Replace($"{Probe}: ", "", StringComparison.Ordinal);
    }

    private IEnumerable<string> Refused(string[] names, CommandRun? run)
    {
        // A modifier states which code an event counts.
        bool countsUserCode = run?.Counters.Any(
            counter => !counter.IsTime && PerfEventNames.SplitModifiers(counter.Name).Modifiers is null) == true;
        if (_refusal is null || (names.Length == 0 && !countsUserCode))
        {
            return [];
        }

        // For the same reason, the available counters do not include kernel code.
        string[] parts = countsUserCode ? [names.Length == 0 ? "kernel code" : "kernel code in the other counters"] : [];
        string what = string.Join(", ", names.Concat(parts));
        return _isVerbose || !_refusal.Contains(NotPermitted, StringComparison.Ordinal)
            ? [$"not counted: {what}: {_refusal}"]
            : [$"not counted: {what}: not permitted; run 'sudo sysctl kernel.perf_event_paranoid=1' (-v shows details)"];
    }
}
