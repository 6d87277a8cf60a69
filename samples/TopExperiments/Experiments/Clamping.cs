using System.Globalization;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Samples.Top;

/// <summary>The document's notes to experiment 2: nicenesses out of range.</summary>
public static class Clamping
{
    public static void Run(TextWriter output)
    {
        MarkdownTable table = new("rrl", ["asked", "document", "here"]);
        table.Add("20", "19", Describe(20));
        table.Add("-21", "-20", Describe(-21));
        output.Write(table.ToString("Niceness out of range"));
    }

    private static string Describe(int asked)
    {
        try
        {
            return NiceOf(asked)?.ToString(CultureInfo.InvariantCulture) ?? "-";
        }
        catch (WorkerException e)
        {
            return e.Message;
        }
    }

    /// <summary>What a worker that asks for a niceness gets.</summary>
    public static int? NiceOf(int asked)
    {
        using WorkerProcess worker = new(new WorkerOptions(Nice: asked));
        using SystemCpu cpu = new(SystemCpuParts.Processes);
        return cpu.Processes.FirstOrDefault(process => process.Id == worker.Id).Nice;
    }
}
