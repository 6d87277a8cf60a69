namespace Picollo.Cpu.Linux;

/// <summary>Reads the texts of /proc/meminfo (proc_meminfo(5)) and /proc/&lt;pid&gt;/statm (proc_pid_statm(5)).</summary>
internal static class ProcMemory
{
    public const int StatmMaxLength = 256; // seven numbers

    private const int BytesPerKilobyte = 1024; // "kB" there

    /// <summary>False if there is no line for the total or for what is free.</summary>
    public static bool TryParse(ReadOnlySpan<byte> memInfo, out MachineMemory memory)
    {
        long? total = null, free = null, available = null;
        long cache = 0, swapTotal = 0, swapFree = 0;
        while (TextFields.TryTakeLine(ref memInfo, out ReadOnlySpan<byte> line))
        {
            var fields = new TextFields(line);
            if (!fields.TryNext(out ReadOnlySpan<byte> name) || !fields.TryNextCount(out long kilobytes))
            {
                continue;
            }

            long bytes = TextFields.Scale(kilobytes, BytesPerKilobyte);
            if (name.SequenceEqual("MemTotal:"u8))
            {
                total = bytes;
            }
            else if (name.SequenceEqual("MemFree:"u8))
            {
                free = bytes;
            }
            else if (name.SequenceEqual("MemAvailable:"u8))
            {
                available = bytes;
            }
            else if (name.SequenceEqual("Buffers:"u8) || name.SequenceEqual("Cached:"u8) || name.SequenceEqual("SReclaimable:"u8))
            {
                cache += Math.Min(bytes, long.MaxValue - cache);
            }
            else if (name.SequenceEqual("SwapTotal:"u8))
            {
                swapTotal = bytes;
            }
            else if (name.SequenceEqual("SwapFree:"u8))
            {
                swapFree = bytes;
            }
        }

        memory = new MachineMemory
        {
            TotalBytes = total ?? 0,
            FreeBytes = free ?? 0,
            AvailableBytes = available,
            CacheBytes = cache,
            SwapTotalBytes = swapTotal,
            SwapFreeBytes = swapFree,
        };
        return total is not null && free is not null;
    }

    /// <summary>The first three numbers, which are in pages; zeros for threads of the kernel and zombies.</summary>
    public static bool TryParseStatm(ReadOnlySpan<byte> statm, out long size, out long resident, out long shared)
    {
        var fields = new TextFields(statm);
        return fields.TryNextCount(out size) & fields.TryNextCount(out resident) & fields.TryNextCount(out shared);
    }
}
