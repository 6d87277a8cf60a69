using System.Text.Json;
using Picollo.Cli.Shell;
using Picollo.Cpu;

namespace Picollo.Cli.Top;

/// <summary>Samples as JSON Lines (docs/schemas/picollo-top.schema.json). What is not known is null.</summary>
internal static class TopJson
{
    private const long NanosecondsPerMillisecond = 1_000_000;

    /// <summary>Writes a line a sample, and before the first one what cannot be seen.</summary>
    public static int Run(Terminal terminal, TopModel model, TopSettings settings)
    {
        TopList processes = new();
        TopList threads = new();
        return TopBatch.Repeat(
            model,
            settings,
            reason => terminal.Out.WriteLine(JsonLine.Of(json =>
            {
                json.WriteString("kind", "note");
                json.WriteString("text", reason);
            })),
            () =>
            {
                processes.Select(model.Sample.Processes, settings);
                threads.Select(model.Sample.Threads, settings);
                terminal.Out.WriteLine(Line(model, settings, processes.Rows, threads.Rows));
                terminal.Out.Flush();
            });
    }

    private static string Line(TopModel model, TopSettings settings, List<TopRow> processes, List<TopRow> threads) => JsonLine.Of(json =>
    {
        TopSample sample = model.Sample;
        json.WriteString("kind", "sample");
        json.WriteString("timeUtc", sample.Time.UtcDateTime);
        json.WriteNumber("intervalNanoseconds", sample.Interval.Ticks * TimeSpan.NanosecondsPerTick);
        json.WriteNumberOrNull("uptimeSeconds", sample.Uptime is { } uptime ? (long)uptime.TotalSeconds : null);
        json.WriteNumberOrNull("userCount", sample.Users);
        json.WriteNumberOrNull("loadAverage1Minute", sample.LoadAverage?.OneMinute);
        json.WriteNumberOrNull("loadAverage5Minutes", sample.LoadAverage?.FiveMinutes);
        json.WriteNumberOrNull("loadAverage15Minutes", sample.LoadAverage?.FifteenMinutes);
        WriteStates(json, "cpu", sample.Total);
        json.WriteStartArray("cpus");
        foreach (CpuStates cpu in sample.Cpus)
        {
            WriteStates(json, null, cpu);
        }

        json.WriteEndArray();
        WriteMemory(json, sample.Memory);
        WriteCgroup(json, sample.Cgroup);
        WritePressure(json, sample.Pressure);
        if (sample.HasAutogroups is { } hasAutogroups)
        {
            json.WriteBoolean("hasAutogroups", hasAutogroups);
        }
        else
        {
            json.WriteNull("hasAutogroups");
        }

        json.WriteStartArray("processes");
        foreach (TopRow row in processes)
        {
            WriteProcess(json, model, settings, row);
        }

        json.WriteEndArray();
        if (settings.ShowThreads)
        {
            json.WriteStartArray("threads");
            threads.ForEach(row => WriteThread(json, row));
            json.WriteEndArray();
        }
    });

    private static void WriteStates(Utf8JsonWriter json, string? name, CpuStates cpu)
    {
        if (name is null)
        {
            json.WriteStartObject();
            json.WriteNumberOrNull("cpu", cpu.Cpu);
        }
        else
        {
            json.WriteStartObject(name);
        }

        json.WriteNumberOrNull("userShare", cpu.User);
        json.WriteNumberOrNull("systemShare", cpu.System);
        json.WriteNumberOrNull("niceShare", cpu.Nice);
        json.WriteNumberOrNull("idleShare", cpu.Idle);
        json.WriteNumberOrNull("ioWaitShare", cpu.IOWait);
        json.WriteNumberOrNull("hardIrqShare", cpu.HardIrq);
        json.WriteNumberOrNull("softIrqShare", cpu.SoftIrq);
        json.WriteNumberOrNull("stealShare", cpu.Steal);
        json.WriteNumberOrNull("guestShare", cpu.Guest);
        json.WriteNumberOrNull("guestNiceShare", cpu.GuestNice);
        json.WriteEndObject();
    }

    private static void WriteMemory(Utf8JsonWriter json, MachineMemory? known)
    {
        if (known is not { } memory)
        {
            json.WriteNull("memory");
            return;
        }

        json.WriteStartObject("memory");
        json.WriteNumber("totalBytes", memory.TotalBytes);
        json.WriteNumber("freeBytes", memory.FreeBytes);
        json.WriteNumberOrNull("availableBytes", memory.AvailableBytes);
        json.WriteNumber("cacheBytes", memory.CacheBytes);
        json.WriteNumber("swapTotalBytes", memory.SwapTotalBytes);
        json.WriteNumber("swapFreeBytes", memory.SwapFreeBytes);
        json.WriteEndObject();
    }

    private static void WriteCgroup(Utf8JsonWriter json, TopCgroup? known)
    {
        if (known is not { } cgroup)
        {
            json.WriteNull("cgroup");
            return;
        }

        json.WriteStartObject("cgroup");
        json.WriteString("path", cgroup.Now.Path);
        json.WriteNumberOrNull("limitCpus", cgroup.Now.Limit);
        json.WriteNumberOrNull("cpuShare", cgroup.Now.Share);
        json.WriteNumberOrNull("periods", cgroup.Periods);
        json.WriteNumberOrNull("throttledPeriods", cgroup.ThrottledPeriods);
        json.WriteNumberOrNull("throttledNanoseconds", NanosecondsOf(cgroup.ThrottledTime));
        json.WriteNumberOrNull("totalThrottledNanoseconds", NanosecondsOf(cgroup.Now.ThrottledTime));
        json.WriteEndObject();
    }

    private static void WritePressure(Utf8JsonWriter json, CpuPressure? known)
    {
        if (known?.Some is not { } some)
        {
            json.WriteNull("pressure");
            return;
        }

        json.WriteStartObject("pressure");
        json.WriteNumber("some10SecondsShare", some.Average10);
        json.WriteNumber("some60SecondsShare", some.Average60);
        json.WriteNumber("some300SecondsShare", some.Average300);
        json.WriteNumber("someTotalNanoseconds", some.Total.Ticks * TimeSpan.NanosecondsPerTick);
        json.WriteEndObject();
    }

    private static void WriteProcess(Utf8JsonWriter json, TopModel model, TopSettings settings, in TopRow row)
    {
        ProcessCpu process = row.Process;
        json.WriteStartObject();
        json.WriteNumber("processId", process.Id);
        json.WriteNumberOrNull("userId", process.UserId);
        json.WriteString("user", process.UserId is null ? null : row.User);
        json.WriteNumberOrNull("virtualBytes", process.VirtualBytes);
        json.WriteNumberOrNull("residentBytes", process.ResidentBytes);
        json.WriteNumberOrNull("sharedBytes", process.SharedBytes);
        json.WriteNumberOrNull("threadCount", process.ThreadCount);
        WriteTask(json, row);
        json.WriteNumberOrNull("lastCpu", process.LastCpu);
        WriteSession(json, model.History, process.Id);
        if (settings.ShowCommandLine)
        {
            WriteCommandLine(json, model.Sample.CommandLineOf(process.Id));
        }

        json.WriteEndObject();
    }

    private static void WriteThread(Utf8JsonWriter json, TopRow row)
    {
        json.WriteStartObject();
        json.WriteNumber("threadId", row.Id);
        json.WriteNumber("processId", row.Process.Id);
        WriteTask(json, row);
        json.WriteNumberOrNull("lastCpu", row.Thread?.LastCpu);
        json.WriteEndObject();
    }

    private static void WriteTask(Utf8JsonWriter json, in TopRow row)
    {
        json.WriteString("name", row.Name);
        json.WriteString("state", row.State?.ToString());
        json.WriteNumberOrNull("priority", row.Priority);
        json.WriteNumberOrNull("nice", row.Nice);
        json.WriteNumberOrNull("cpuShare", row.Share);
        json.WriteNumberOrNull("waitShare", row.WaitShare);
        json.WriteNumber("userNanoseconds", row.Usage.UserNanoseconds);
        json.WriteNumber("kernelNanoseconds", row.Usage.KernelNanoseconds);
    }

    private static void WriteSession(Utf8JsonWriter json, CpuHistory history, int process)
    {
        if (!history.TryGetShares(process, out SessionShares shares))
        {
            json.WriteNull("session");
            return;
        }

        json.WriteStartObject("session");
        json.WriteNumber("seenNanoseconds", (long)shares.Seen.TotalMilliseconds * NanosecondsPerMillisecond);
        json.WriteNumber("p50CpuShare", shares.P50);
        json.WriteNumber("p90CpuShare", shares.P90);
        json.WriteNumber("p99CpuShare", shares.P99);
        json.WriteNumber("maxCpuShare", shares.Max);
        json.WriteEndObject();
    }

    private static void WriteCommandLine(Utf8JsonWriter json, string[]? words)
    {
        if (words is null)
        {
            json.WriteNull("commandLine");
            return;
        }

        json.WriteStartArray("commandLine");
        foreach (string word in words)
        {
            json.WriteStringValue(word);
        }

        json.WriteEndArray();
    }

    private static long? NanosecondsOf(TimeSpan? time) => time is { } known ? known.Ticks * TimeSpan.NanosecondsPerTick : null;
}
