using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Samples.Top;

/// <summary>What <c>top</c> shows after the keys H (threads) and 1 (each CPU), as far as it is about CPUs.</summary>
public static class TopView
{
    private const int ThreadLines = 5;

    public static void Print(TextWriter output, SystemCpu cpu)
    {
        output.WriteLine($"load average: {cpu.LoadAverage?.ToString() ?? cpu.GetUnavailableReason(SystemCpuParts.LoadAverage)}");
        output.WriteLine($"Threads: {Number(cpu.RunQueue?.Total)} total, {Number(cpu.RunQueue?.Running)} running");
        output.WriteLine($"%Cpu(s): {cpu.Total}");
        foreach (CpuStates one in cpu.Cpus)
        {
            output.WriteLine($"%Cpu{one.Cpu,-3}: {one}");
        }

        Print(output, cpu.Threads.OrderByDescending(thread => thread.Share ?? 0).Take(ThreadLines).Select(TaskLine.Of));
        if (cpu.GetUnavailableReason(SystemCpuParts.Threads) is { } reason)
        {
            output.WriteLine(reason);
        }

        output.WriteLine();
    }

    public static void Print(TextWriter output, IEnumerable<TaskLine> tasks)
    {
        output.WriteLine("    PID  PR  NI S  %CPU     TIME+  P COMMAND");
        foreach (TaskLine task in tasks)
        {
            output.WriteLine(
                $"{task.Id,7} {Number(task.Priority),3} {Number(task.Nice),3} {task.State ?? '-'} {Percent(task.Share),5} {Time(task.CpuTime),9} {Number(task.LastCpu),2} {Printable(task.Name)}");
        }
    }

    /// <summary>A share in percent with one decimal; a dash for none.</summary>
    public static string Percent(double? share) =>
        share is { } known ? (known * 100).ToString("0.0", CultureInfo.InvariantCulture) : "-";

    /// <summary>Minutes, seconds and hundredths.</summary>
    public static string Time(TimeSpan time) => string.Create(
        CultureInfo.InvariantCulture, $"{(long)time.TotalMinutes}:{time.Seconds:00}.{time.Milliseconds / 10:00}");

    private static string Number(int? number) => number?.ToString(CultureInfo.InvariantCulture) ?? "-";

    /// <summary>A program may be called anything, a terminal's commands included.</summary>
    private static string Printable(string name) => string.Concat(name.Select(c => char.IsControl(c) ? '?' : c));
}
