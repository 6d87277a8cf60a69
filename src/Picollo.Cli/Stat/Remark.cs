using Picollo.Diagnostics;
using Picollo.Export.Text;

namespace Picollo.Cli.Stat;

/// <summary>Relates the value of a counter to others: as a rate or a share.</summary>
internal static class Remark
{
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>The share of the time below which the share is shown.</summary>
    private const double AllTheTime = 0.9995;

    public static string On(CommandCounter counter, CommandRun run)
    {
        string remark = counter.Value == 0 ? "" : Of(counter, run);
        return IsScaled(counter) ? $"{remark} [{Quantity.Percent(counter.RunningShare!.Value)}]".TrimStart() : remark;
    }

    /// <summary>Returns the number of CPUs used, for the CPU time; otherwise, an empty string.</summary>
    public static string On(CommandQuantity quantity, long value, CommandRun run) =>
        quantity.Name == "cpuNanoseconds" && run.ElapsedNanoseconds > 0 ? CpusUsed(value, run) : "";

    public static bool IsScaled(CommandCounter counter) => counter.RunningShare < AllTheTime;

    private static string Of(CommandCounter counter, CommandRun run)
    {
        double cpuNanoseconds = (double?)Find(run, "task-clock")?.Value ?? run.Usage.Cpu.TotalNanoseconds;
        return counter.IsTime
                ? CpusUsed(counter.Value, run)
            : counter.Name is "instructions" && Find(run, "cycles") is { Value: > 0 } cycles
                ? Invariant($"{counter.Value / (double)cycles.Value:0.000} per cycle")
            : counter.Name is "cycles" && cpuNanoseconds > 0
                ? Invariant($"{counter.Value / cpuNanoseconds:0.000} GHz")
            : TotalCounterOf(counter.Name) is { } whole && Find(run, whole) is { Value: > 0 } all
                ? $"{Quantity.Percent((double)counter.Value / all.Value)} of {whole}"
            : cpuNanoseconds > 0
                ? $"{Quantity.Short(counter.Value / cpuNanoseconds * NanosecondsPerSecond, digits: 4)} per CPU s"
            : "";
    }

    private static string CpusUsed(double nanoseconds, CommandRun run) =>
        Invariant($"{nanoseconds / run.ElapsedNanoseconds:0.000} CPUs used");

    /// <summary>Returns the name of the counter that includes the specified counter of misses.</summary>
    private static string? TotalCounterOf(string name) => name switch
    {
        "branch-misses" => "branches",
        "cache-misses" => "cache-references",
        _ when name.EndsWith("-prefetch-misses", StringComparison.Ordinal) => name[..^"-misses".Length] + "es",
        _ when name.EndsWith("-misses", StringComparison.Ordinal) => name[..^"-misses".Length] + "s",
        _ => null,
    };

    private static CommandCounter? Find(CommandRun run, string name) =>
        run.Counters.Where(counter => counter.Name == name).Cast<CommandCounter?>().FirstOrDefault();
}
