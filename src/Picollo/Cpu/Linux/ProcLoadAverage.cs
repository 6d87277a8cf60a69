using System.Buffers.Text;

namespace Picollo.Cpu.Linux;

/// <summary>Reads the text of /proc/loadavg (proc_loadavg(5)): "0.65 0.33 0.20 2/249 3797".</summary>
internal static class ProcLoadAverage
{
    public static bool TryParse(ReadOnlySpan<byte> text, out LoadAverage average, out int? runningThreads, out int? threads)
    {
        average = default;
        runningThreads = threads = null;
        var fields = new TextFields(text);
        if (!fields.TryNextDecimal(out double one) || !fields.TryNextDecimal(out double five) || !fields.TryNextDecimal(out double fifteen))
        {
            return false;
        }

        average = new LoadAverage(one, five, fifteen);
        if (fields.TryNext(out ReadOnlySpan<byte> counts)
            && Utf8Parser.TryParse(counts, out int running, out int length)
            && length < counts.Length
            && counts[length] == '/'
            && Utf8Parser.TryParse(counts[(length + 1)..], out int all, out int rest)
            && length + 1 + rest == counts.Length
            && running >= 0
            && all >= 0)
        {
            (runningThreads, threads) = (running, all);
        }

        return true;
    }
}
