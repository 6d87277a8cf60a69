using System.Text.Json;
using Picollo.Cpu;

namespace Picollo.Cli.Top;

/// <summary>Writes samples as JSON Lines (docs/schemas/picollo-top.schema.json). Unknown values are null.</summary>
internal static class TopJson
{
    private const long NanosecondsPerMillisecond = 1_000_000;

    /// <summary>Writes notes about unavailable data, and then one line for each sample.</summary>
    public static int Run(Terminal terminal, TopModel model, TopSettings settings)
    {
        TopList processes = new();
        TopList threads = new();
        return TopBatch.Repeat(
            model,
            settings,
            reason => terminal.Out.WriteLine(JsonLine.OfNote(reason)),
            () =>
            {
                processes.Select(model.Sample.Processes, settings, row => row.Name);
                threads.Select(model.Sample.Threads, settings, row => row.Name);
                terminal.Out.WriteLine(JsonLine.Of("sample", json => WriteSample(json, model, settings, processes.Rows, threads.Rows)));
                terminal.Out.Flush();
            });
    }

    private static void WriteSample(
        Utf8JsonWriter json, TopModel model, TopSettings settings, List<TopRow> processes, List<TopRow> threads)
    {
        TopSample sample = model.Sample;
        json.WriteString("timeUtc", sample.Time.UtcDateTime);
        json.WriteNanoseconds("intervalNanoseconds", sample.Interval);
        json.WriteNumberOrNull("uptimeSeconds", sample.Uptime is { } uptime ? (long)uptime.TotalSeconds : null);
        json.WriteNumberOrNull("userCount", sample.Users);
        json.WriteNumberOrNull("loadAverage1Minute", sample.LoadAverage?.OneMinute);
        json.WriteNumberOrNull("loadAverage5Minutes", sample.LoadAverage?.FiveMinutes);
        json.WriteNumberOrNull("loadAverage15Minutes", sample.LoadAverage?.FifteenMinutes);
        json.WriteObject<CpuStates>("cpu", sample.Total, cpu => WriteStates(json, cpu));
        json.WriteObjects("cpus", sample.Cpus, cpu =>
        {
            json.WriteNumberOrNull("cpu", cpu.Cpu);
            WriteStates(json, cpu);
        });
        json.WriteObject("memory", sample.Memory, memory =>
        {
            json.WriteNumber("totalBytes", memory.TotalBytes);
            json.WriteNumber("freeBytes", memory.FreeBytes);
            json.WriteNumberOrNull("availableBytes", memory.AvailableBytes);
            json.WriteNumber("cacheBytes", memory.CacheBytes);
            json.WriteNumber("swapTotalBytes", memory.SwapTotalBytes);
            json.WriteNumber("swapFreeBytes", memory.SwapFreeBytes);
        });
        json.WriteObject("cgroup", sample.Cgroup, cgroup =>
        {
            json.WriteString("path", cgroup.Now.Path);
            json.WriteNumberOrNull("limitCpus", cgroup.Now.Limit);
            json.WriteNumberOrNull("cpuShare", cgroup.Now.Share);
            json.WriteNumberOrNull("periods", cgroup.Periods);
            json.WriteNumberOrNull("throttledPeriods", cgroup.ThrottledPeriods);
            json.WriteNumberOrNull("throttledNanoseconds", cgroup.ThrottledTime?.Ticks * TimeSpan.NanosecondsPerTick);
            json.WriteNumberOrNull("totalThrottledNanoseconds", cgroup.Now.ThrottledTime?.Ticks * TimeSpan.NanosecondsPerTick);
        });
        json.WriteObject("pressure", sample.Pressure, some =>
        {
            json.WriteNumber("some10SecondsShare", some.Average10);
            json.WriteNumber("some60SecondsShare", some.Average60);
            json.WriteNumber("some300SecondsShare", some.Average300);
            json.WriteNanoseconds("someTotalNanoseconds", some.Total);
        });
        if (sample.HasAutogroups is { } hasAutogroups)
        {
            json.WriteBoolean("hasAutogroups", hasAutogroups);
        }
        else
        {
            json.WriteNull("hasAutogroups");
        }

        json.WriteObjects("processes", processes, row => WriteProcess(json, model, settings, row));
        if (settings.ShowThreads)
        {
            json.WriteObjects("threads", threads, row =>
            {
                json.WriteNumber("threadId", row.Id);
                json.WriteNumber("processId", row.Process.Id);
                WriteTask(json, row);
                json.WriteNumberOrNull("lastCpu", row.Thread?.LastCpu);
            });
        }
    }

    private static void WriteStates(Utf8JsonWriter json, CpuStates cpu)
    {
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
    }

    private static void WriteProcess(Utf8JsonWriter json, TopModel model, TopSettings settings, in TopRow row)
    {
        ProcessCpu process = row.Process;
        json.WriteNumber("processId", process.Id);
        json.WriteNumberOrNull("userId", process.UserId);
        json.WriteString("user", process.UserId is null ? null : row.User);
        json.WriteNumberOrNull("virtualBytes", process.VirtualBytes);
        json.WriteNumberOrNull("residentBytes", process.ResidentBytes);
        json.WriteNumberOrNull("sharedBytes", process.SharedBytes);
        json.WriteNumberOrNull("threadCount", process.ThreadCount);
        WriteTask(json, row);
        json.WriteNumberOrNull("lastCpu", process.LastCpu);
        json.WriteObject("session", model.History.GetShares(process.Id), session =>
        {
            json.WriteNumber("seenNanoseconds", (long)session.Seen.TotalMilliseconds * NanosecondsPerMillisecond);
            json.WriteNumber("p50CpuShare", session.P50);
            json.WriteNumber("p90CpuShare", session.P90);
            json.WriteNumber("p99CpuShare", session.P99);
            json.WriteNumber("maxCpuShare", session.Max);
        });
        if (settings.ShowCommandLine)
        {
            json.WriteStrings("commandLine", model.Sample.CommandLineOf(process.Id));
        }
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
}
