using System.Buffers.Text;

namespace Picollo.Cpu.Linux;

/// <summary>Parses /proc/pressure/cpu (Documentation/accounting/psi.rst of the kernel): a line "some" and a line "full", each like "some
/// avg10=0.00 avg60=0.00 avg300=0.00 total=0", with percentages and microseconds.</summary>
internal static class ProcPressure
{
    /// <summary>Parses the line "some"; false if it is missing. The line "full" is always zero for the whole machine.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out CpuPressure some)
    {
        while (TextFields.TryTakeLine(ref text, out ReadOnlySpan<byte> line))
        {
            var fields = new TextFields(line);
            if (fields.TryNext(out ReadOnlySpan<byte> name) && name.SequenceEqual("some"u8) && TryParse(ref fields, out some))
            {
                return true;
            }
        }

        some = default;
        return false;
    }

    private static bool TryParse(ref TextFields fields, out CpuPressure pressure)
    {
        pressure = default;
        if (!TryNextShare(ref fields, "avg10="u8, out double ten)
            || !TryNextShare(ref fields, "avg60="u8, out double sixty)
            || !TryNextShare(ref fields, "avg300="u8, out double threeHundred)
            || !fields.TryNext(out ReadOnlySpan<byte> total)
            || !total.StartsWith("total="u8)
            || !TextFields.TryParseCount(total["total=".Length..], out long microseconds))
        {
            return false;
        }

        pressure = new CpuPressure(
            ten, sixty, threeHundred, new TimeSpan(TextFields.Scale(microseconds, TimeSpan.TicksPerMicrosecond)));
        return true;
    }

    private static bool TryNextShare(ref TextFields fields, ReadOnlySpan<byte> name, out double share)
    {
        double percent = 0;
        bool found = fields.TryNext(out ReadOnlySpan<byte> field)
            && field.StartsWith(name)
            && TextFields.TryParseDecimal(field[name.Length..], out percent);
        share = percent / 100;
        return found;
    }
}

/// <summary>Parses /proc/loadavg (proc_loadavg(5)): "0.65 0.33 0.20 2/249 3797".</summary>
internal static class ProcLoadAverage
{
    public static bool TryParse(ReadOnlySpan<byte> text, out LoadAverage average, out int? runningThreads, out int? threads)
    {
        average = default;
        runningThreads = threads = null;
        var fields = new TextFields(text);
        if (!fields.TryNextDecimal(out double oneMinute)
            || !fields.TryNextDecimal(out double fiveMinutes)
            || !fields.TryNextDecimal(out double fifteenMinutes))
        {
            return false;
        }

        average = new LoadAverage(oneMinute, fiveMinutes, fifteenMinutes);
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
