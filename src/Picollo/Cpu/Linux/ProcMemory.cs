namespace Picollo.Cpu.Linux;

/// <summary>Parses /proc/meminfo (proc_meminfo(5)) and /proc/&lt;pid&gt;/statm (proc_pid_statm(5)).</summary>
internal static class ProcMemory
{
    public const int StatmMaxLength = 256; // seven numbers

    private const int BytesPerKilobyte = 1024; // the unit "kB" in the file

    /// <summary>Parses /proc/meminfo. Returns false if total or free memory is missing.</summary>
    public static bool TryParse(ReadOnlySpan<byte> memInfo, out MachineMemory memory)
    {
        memory = new MachineMemory { TotalBytes = -1, FreeBytes = -1 };
        while (TextFields.TryTakeLine(ref memInfo, out ReadOnlySpan<byte> line))
        {
            var fields = new TextFields(line);
            if (!fields.TryNext(out ReadOnlySpan<byte> name) || !fields.TryNextCount(out long kilobytes))
            {
                continue;
            }

            long bytes = TextFields.Scale(kilobytes, BytesPerKilobyte);
            memory = name switch
            {
                _ when name.SequenceEqual("MemTotal:"u8) => memory with { TotalBytes = bytes },
                _ when name.SequenceEqual("MemFree:"u8) => memory with { FreeBytes = bytes },
                _ when name.SequenceEqual("MemAvailable:"u8) => memory with { AvailableBytes = bytes },
                _ when name.SequenceEqual("Buffers:"u8) || name.SequenceEqual("Cached:"u8) || name.SequenceEqual("SReclaimable:"u8) =>
                    memory with { CacheBytes = memory.CacheBytes + Math.Min(bytes, long.MaxValue - memory.CacheBytes) },
                _ when name.SequenceEqual("SwapTotal:"u8) => memory with { SwapTotalBytes = bytes },
                _ when name.SequenceEqual("SwapFree:"u8) => memory with { SwapFreeBytes = bytes },
                _ => memory,
            };
        }

        bool isComplete = memory is { TotalBytes: >= 0, FreeBytes: >= 0 };
        memory = isComplete ? memory : default;
        return isComplete;
    }

    /// <summary>Parses the first three numbers, in pages; zeros for kernel threads and zombies.</summary>
    public static bool TryParseStatm(ReadOnlySpan<byte> statm, out long size, out long resident, out long shared)
    {
        var fields = new TextFields(statm);
        return fields.TryNextCount(out size) & fields.TryNextCount(out resident) & fields.TryNextCount(out shared);
    }
}
