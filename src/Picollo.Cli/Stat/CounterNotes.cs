using Picollo.Diagnostics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>What this user may count, and what to say of the rest.</summary>
internal sealed class CounterNotes
{
    private const string Probe = "context-switches"; // happens in the kernel alone, and needs no PMU
    private const string NotPermitted = "(perf_event_open: EACCES)";

    private readonly bool _isVerbose;
    private readonly string? _refusal;

    /// <summary>Finds out by opening a counter of the kernel's part of this process.</summary>
    public CounterNotes(bool isVerbose)
        : this(isVerbose, RefusalHere())
    {
    }

    /// <param name="refusal">Why the kernel's part cannot be counted; null if it can.</param>
    internal CounterNotes(bool isVerbose, string? refusal) => (_isVerbose, _refusal) = (isVerbose, refusal);

    /// <summary>Whether counters count the kernel's part.</summary>
    public bool CountsKernel => _refusal is null;

    /// <summary>What is not counted, and why, with each reason once.</summary>
    /// <param name="run">A run; null if there was none.</param>
    public IEnumerable<string> Of(CommandRun? run)
    {
        UnavailablePerfCounter[] missing = [.. run?.UnavailableCounters ?? []];
        UnavailablePerfCounter[] refused = [.. missing.Where(IsRefused)];
        return
        [
            .. Refused([.. refused.Select(counter => counter.Name)], run),
            .. UnavailableCounterText.Describe(missing.Except(refused)).Select(text => $"not counted: {text}"),
        ];
    }

    private static string? RefusalHere()
    {
        if (!OperatingSystem.IsLinux())
        {
            return null; // each counter says that
        }

        PerfEventCounterSessionFactory probe = PerfEventCounterSession.Factory.WithPerfEvents(Probe).WithKernel(true);
        bool isCounted = probe.TryCreate(out PerfEventCounterSession? session, out string? reason);
        session?.Dispose();
        return isCounted ? null : reason!.Replace($"{Probe}: ", "", StringComparison.Ordinal);
    }

    private bool IsRefused(UnavailablePerfCounter counter) => counter.UnavailableReason == $"{counter.Name}: {_refusal}";

    private IEnumerable<string> Refused(string[] names, CommandRun? run)
    {
        bool countsUserCode = run?.Counters.Any(counter => !counter.IsTime) == true;
        if (_refusal is null || (names.Length == 0 && !countsUserCode))
        {
            return [];
        }

        // The kernel's part of the counters that are there is not counted for the same reason.
        string[] parts = countsUserCode ? [names.Length == 0 ? "the kernel's part" : "the kernel's part of the others"] : [];
        string what = string.Join(", ", names.Concat(parts));
        return _isVerbose || !_refusal.EndsWith(NotPermitted, StringComparison.Ordinal)
            ? [$"not counted: {what}: {_refusal}"]
            : [$"not counted: {what}: not permitted; remedy: sudo sysctl kernel.perf_event_paranoid=1 (details: -v)"];
    }
}
