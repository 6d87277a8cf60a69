using System.Diagnostics;
using System.Globalization;

namespace Picollo.Fuzz.Tests;

/// <summary>Reads mutated inputs of a target for a given time, in this process.</summary>
internal sealed class FuzzRun(FuzzTarget target, CurrentInput current)
{
    public const int Passed = 0, Failed = 1, Hung = 2;

    private const int MostFindings = 20;
    private const int MostKept = 1000;
    private const int MostTrials = 2000;

    // A limit of the CPU time, because the machine may be busy. Reading an input must take much less.
    private static readonly TimeSpan LongestRead = TimeSpan.FromSeconds(20);

    // A limit of the elapsed time, for a reader that waits.
    private static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(5);

    private readonly HashSet<string> _kinds = [];
    private readonly HashSet<string> _findings = [];
    private long _start;
    private long _count;

    /// <summary>Runs the target, and prints each finding and a line of results.</summary>
    /// <returns>The exit code.</returns>
    public int Run(TimeSpan duration)
    {
        using var watchdog = new Timer(new Watchdog(this).Check, null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
        IReadOnlyList<FuzzSeed> seeds = target.Seeds();
        var mutator = new Mutator(seeds, target.Longest);
        FuzzFiles.Of(target).ToList().ForEach(file => mutator.Add(new FuzzSeed(File.ReadAllBytes(file))));
        long mostBytes = 0;
        _start = Stopwatch.GetTimestamp();
        TimeSpan slowest = TimeSpan.Zero;
        while (Stopwatch.GetElapsedTime(_start) < duration && _findings.Count < MostFindings)
        {
            FuzzSeed input = mutator.Next(new Random(unchecked(Seeded.FirstSeed + (int)_count)));
            long inputStart = Stopwatch.GetTimestamp();
            FuzzOutcome outcome = Try(input.Bytes);
            TimeSpan time = Stopwatch.GetElapsedTime(inputStart);
            (slowest, mostBytes) = (time > slowest ? time : slowest, Math.Max(mostBytes, outcome.AllocatedBytes));
            if (outcome.Failure is not null)
            {
                Report(input.Bytes, outcome);
            }
            else if (_kinds.Count < MostKept && _kinds.Add($"{outcome.Kind} {(int)(2 * Math.Log2(outcome.AllocatedBytes + 1))}"))
            {
                mutator.Add(input);
            }
        }

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{(_findings.Count == 0 ? "ok    " : "FAILED")} {target.Name,-22} inputs: {_count,11:N0}, kinds of results: {_kinds.Count,4}, findings: {_findings.Count,2}, at most {mostBytes,12:N0} bytes and {slowest.TotalMilliseconds,7:F1} ms per input"));
        return _findings.Count == 0 ? Passed : Failed;
    }

    private FuzzOutcome Try(byte[] input)
    {
        Interlocked.Increment(ref _count);
        current.Bytes = input;
        return target.Try(input);
    }

    private void Report(byte[] input, FuzzOutcome outcome)
    {
        if (_findings.Add(outcome.Kind))
        {
            string found = string.Create(CultureInfo.InvariantCulture, $"finding at input {_count:N0}, after {Stopwatch.GetElapsedTime(_start).TotalSeconds:F1} s");
            string path = FuzzFiles.Keep(target, Minimize(input, outcome.Kind));
            string message = string.Concat(outcome.Failure!.Message.Select(letter => char.IsControl(letter) ? ' ' : letter)); // it may quote the input
            Console.WriteLine($"       {found}: {path}: {outcome.Failure.GetType().Name}: {message}");
        }
    }

    /// <summary>Removes the parts of an input that the finding does not need.</summary>
    private byte[] Minimize(byte[] input, string kind)
    {
        int trials = 0;
        for (int size = Math.Max(input.Length / 2, 1); size > 0; size /= 2)
        {
            for (int at = 0; at < input.Length && trials < MostTrials; trials++)
            {
                byte[] shorter = [.. input[..at], .. input[Math.Min(at + size, input.Length)..]];
                bool isEnough = Try(shorter) is { Failure: not null } outcome && outcome.Kind == kind;
                input = isEnough ? shorter : input;
                at += isEnough ? 0 : size;
            }
        }

        return input;
    }

    /// <summary>Ends the process if an input takes too long, because a thread cannot be ended.</summary>
    private sealed class Watchdog(FuzzRun run)
    {
        private long _count;
        private TimeSpan _since;
        private long _start;

        public void Check(object? state)
        {
            long count = Interlocked.Read(ref run._count);
            TimeSpan now = Environment.CpuUsage.TotalTime;
            if (count != _count || count == 0)
            {
                (_count, _since, _start) = (count, now, Stopwatch.GetTimestamp());
            }
            else if (now - _since > LongestRead || Stopwatch.GetElapsedTime(_start) > LongestWait)
            {
                Environment.Exit(Hung);
            }
        }
    }
}
