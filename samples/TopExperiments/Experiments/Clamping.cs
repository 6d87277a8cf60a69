using System.Globalization;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Samples.Top;

/// <summary>The document's notes on experiment 2: niceness values outside the range.</summary>
public static class Clamping
{
    public static void Run(TextWriter output)
    {
        MarkdownTable table = new("rrl", ["requested", "document", "measured"]);
        table.Add("20", "19", Describe(20));
        table.Add("-21", "-20", Describe(-21));
        output.Write(table.ToString("Niceness outside the range"));
    }

    private static string Describe(int requested)
    {
        try
        {
            return NiceOf(requested)?.ToString(CultureInfo.InvariantCulture) ?? "-";
        }
        catch (WorkerException e)
        {
            return e.Message;
        }
    }

    /// <summary>Returns the actual niceness of a worker that requests a niceness.</summary>
    public static int? NiceOf(int requested)
    {
        using WorkerProcess worker = new(new WorkerOptions(Nice: requested));
        using SystemCpu cpu = new(SystemCpuParts.Processes);
        return cpu.Processes.FirstOrDefault(process => process.Id == worker.Id).Nice;
    }
}
