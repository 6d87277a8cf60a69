using Picollo.Metrics;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>Prints the measured steps and the figures of the document.</summary>
public static class StepTable
{
    private const string SmallChecksum = "small checksum";

    private static readonly Row[] Rows =
    [
        new("1: alone", "/delay1ms", results => results.Alone, DocumentFigures.Alone),
        new("2: checksums without the pool", "/delay1ms", results => results.Unscheduled, DocumentFigures.Unscheduled),
        new("3: checksums in the pool", "/delay1ms", results => results.Scheduled, DocumentFigures.Scheduled),
        new("4: also small checksums", "/delay1ms", results => results.WithBoth, DocumentFigures.WithBoth),
        new("4: also small checksums", SmallChecksum, results => results.Small, DocumentFigures.Small),
        new("3 with a SemaphoreSlim", "/delay1ms", results => results.SemaphoreScheduled),
        new($"3 with a SemaphoreSlim, {ServerProcess.AmpleThreads} threads", "/delay1ms", results => results.AmpleSemaphoreScheduled),
        new("4 with a SemaphoreSlim", "/delay1ms", results => results.SemaphoreWithBoth),
        new("4 with a SemaphoreSlim", SmallChecksum, results => results.SemaphoreSmall),
        new("3: checksums in the pool", "/delay1msLoop", results => results.Loop),
        new("3: checksums in the pool", "/delay1msLoopWithCpuWorker", results => results.LoopInPool),
    ];

    public static void Write(TextWriter output, StepResults at10, StepResults at100)
    {
        WriteLatencies(output, at10, at100);
        WriteLoad(output, at10, at100);
    }

    private static void WriteLatencies(TextWriter output, StepResults at10, StepResults at100)
    {
        string[] percentiles = [.. Latencies.Percentiles.Select(percentile => $"{percentile} %")];
        MarkdownTable table = new(
            "lll" + new string('r', percentiles.Length + 1), ["Step", "Request", "Measured", .. percentiles, "requests/s"]);
        foreach (Row row in Rows)
        {
            foreach ((StepResults results, Runs runs) in row.Measured(at10, at100))
            {
                string failed = runs.Failed > 0 ? $", {runs.Failed} failed" : "";
                Add(row, Here(results) + failed, runs.Latency, runs.RequestsPerSecond);
            }

            if (row.Document is { } document)
            {
                Add(row, "document, 100", document.Latency, document.RequestsPerSecond);
            }
        }

        output.WriteLine(table.ToString("The steps: response time in ms at percentile N, with 10 and 100 connections"));
        output.WriteLine("Document: the README of Go's cpuworker, GOMAXPROCS 16 on an AWS c5d.12xlarge, ab on another machine; whole milliseconds.");
        output.WriteLine("Here: medians of the runs, and their maximum, from wrk. wrk corrects for requests that it could not send because of slow");
        output.WriteLine("responses. Step 2 uses a server that has just started. Requests that are unanswered at the end of a run are not counted.");
        output.WriteLine();

        void Add(Row row, string measured, Latencies? latency, double perSecond) => table.Add(
            [
                row.Step, row.Request, measured,
                .. latency is null ? Latencies.Percentiles.Select(_ => "none") : latency.Values.Select(Text),
                $"{perSecond:N0}",
            ]);
    }

    private static void WriteLoad(TextWriter output, StepResults at10, StepResults at100)
    {
        MarkdownTable table = new("lllrrr", ["Step", "Request", "Measured", "server, CPUs", "machine, CPUs", "load average"]);

        // Small checksums are measured together with the other requests of their step.
        foreach (Row row in Rows.Where(row => row.Request != SmallChecksum))
        {
            foreach ((StepResults results, Runs runs) in row.Measured(at10, at100))
            {
                if (runs.Load is { } load)
                {
                    table.Add(row.Step, row.Request, Here(results), $"{load.ServerCpus:0.00}", $"{load.MachineCpus:0.00}", $"{load.Average:0.00}");
                }
            }

            if (row.Document?.LoadAverage is { } average)
            {
                table.Add(row.Step, row.Request, "document, 100", "", "", $"{average:0}");
            }
        }

        output.WriteLine(table.ToString("The steps: CPU load"));
        output.WriteLine("Server: CPU time divided by the duration of the step; 1 is one full CPU. Machine: busy CPUs, including wrk and all other programs.");
        output.WriteLine("Load average: one-minute average at the end of the step. A step takes less than a minute, so this figure includes earlier steps.");
        output.WriteLine();
    }

    private static string Here(StepResults results) => $"here, {results.Concurrency}";

    private static string Text(double milliseconds) => milliseconds is >= 100 or 0 ? $"{milliseconds:N0}" : $"{milliseconds:0.00}";

    private sealed record Row(string Step, string Request, Func<StepResults, Runs> Select, DocumentFigures? Document = null)
    {
        public IEnumerable<(StepResults Results, Runs Runs)> Measured(params StepResults[] all) =>
            all.Select(results => (results, Select(results))).Where(one => one.Item2.Reports.Count > 0);
    }
}
