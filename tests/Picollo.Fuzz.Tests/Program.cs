using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using Picollo.Fuzz.Tests;

// fuzz DURATION [TARGET]: reads mutated inputs of all targets for a total time such as 30s, 10m or 2h. Each target has its own process.
// repeat FILE: reads a saved input.
return args switch
{
    ["fuzz", var duration, .. var names] when Durations.Parse(duration) is { } time => Array.Find(names, name => !FuzzTargets.Exists(name)) is { } unknown
        ? Misused($"error: no fuzz target '{unknown}'; available targets: {string.Join(", ", FuzzTargets.All.Select(target => target.Name))}")
        : RunAll(time, names),
    ["target", var name, var seconds, var file] => RunOne(name, double.Parse(seconds, CultureInfo.InvariantCulture), file),
    ["repeat", var path] => Repeat(path),
    _ => Misused("usage: fuzz DURATION [TARGET...], such as fuzz 10m, or repeat FILE"),
};

static int RunAll(TimeSpan total, string[] names)
{
    FuzzTarget[] targets = names.Length == 0 ? FuzzTargets.All : [.. names.Select(FuzzTargets.Named)];
    int atOnce = Environment.ProcessorCount;
    TimeSpan each = total * Math.Min(atOnce, targets.Length) / targets.Length;
    Console.WriteLine(string.Create(
        CultureInfo.InvariantCulture, $"running {targets.Length} {(targets.Length == 1 ? "target" : "targets")} for {each.TotalSeconds:F1} s{(targets.Length == 1 ? "" : $" each, {atOnce} at a time")}; PICOLLO_TEST_SEED={Seeded.FirstSeed} repeats the inputs"));
    int failed = 0;
    Parallel.ForEach(Partitioner.Create(targets, EnumerablePartitionerOptions.NoBuffering), new ParallelOptions { MaxDegreeOfParallelism = atOnce }, target =>
    {
        if (!Runs(target, each))
        {
            Interlocked.Increment(ref failed);
        }
    });
    if (failed == 0)
    {
        return FuzzRun.Passed;
    }

    Console.WriteLine("To repeat a finding: dotnet run -c Release --project tests/Picollo.Fuzz.Tests -- repeat FILE");
    return FuzzRun.Failed;
}

static bool Runs(FuzzTarget target, TimeSpan time)
{
    string file = Path.GetTempFileName();
    try
    {
        ProcessStartInfo start = new(Environment.ProcessPath!, [
            .. Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet" ? new[] { typeof(FuzzTargets).Assembly.Location } : [],
            "target", target.Name, time.TotalSeconds.ToString(CultureInfo.InvariantCulture), file]);
        start.Environment["PICOLLO_TEST_SEED"] = Seeded.FirstSeed.ToString(CultureInfo.InvariantCulture);
        using Process process = Process.Start(start)!;
        process.WaitForExit();
        if (process.ExitCode is FuzzRun.Passed or FuzzRun.Failed)
        {
            return process.ExitCode == FuzzRun.Passed;
        }

        using CurrentInput last = new(file);
        string how = process.ExitCode == FuzzRun.Hung ? "took more than 20 s of CPU time or 5 minutes" : $"ended the process with exit code {process.ExitCode}";
        Console.WriteLine($"FAILED {target.Name,-22} {FuzzFiles.Keep(target, last.Bytes)} {how}");
        return false;
    }
    finally
    {
        File.Delete(file);
    }
}

static int RunOne(string name, double seconds, string file)
{
    using CurrentInput current = new(file);
    return new FuzzRun(FuzzTargets.Named(name), current).Run(TimeSpan.FromSeconds(seconds));
}

static int Repeat(string path)
{
    FuzzOutcome outcome = FuzzFiles.TargetOf(path).Try(File.ReadAllBytes(path));
    Console.WriteLine(outcome.Failure is { } failure ? $"FAILED: {failure}" : $"ok: {outcome.Kind}");
    Console.WriteLine($"{outcome.AllocatedBytes:N0} bytes allocated");
    return outcome.Failure is null ? 0 : 1;
}

static int Misused(string message)
{
    Console.Error.WriteLine(message);
    return 2;
}
