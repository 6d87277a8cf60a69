using Picollo.Metrics;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>The document's steps, here and there.</summary>
public static class StepTable
{
    public static void Write(TextWriter output, StepResults at10, StepResults at100)
    {
        MarkdownTable table = new("lllrrrrr", ["Step", "Request", "Measured", "p50, ms", "p90, ms", "p99, ms", "max, ms", "requests/s"]);
        Add("1: alone", "/delay1ms", results => results.Alone, DocumentFigures.Alone);
        Add("2: checksums without the pool", "/delay1ms", results => results.Unscheduled, DocumentFigures.Unscheduled);
        Add("3: checksums in the pool", "/delay1ms", results => results.Scheduled, DocumentFigures.Scheduled);
        Add("4: and small ones", "/delay1ms", results => results.BesideBoth, DocumentFigures.BesideBoth);
        Add("4: and small ones", "small checksum", results => results.Small, DocumentFigures.Small);
        Add("3 with a SemaphoreSlim", "/delay1ms", results => results.SemaphoreScheduled);
        Add($"3 the same, {ServerProcess.AmpleThreads} threads", "/delay1ms", results => results.AmpleSemaphoreScheduled);
        Add("4 with a SemaphoreSlim", "/delay1ms", results => results.SemaphoreBesideBoth);
        Add("4 with a SemaphoreSlim", "small checksum", results => results.SemaphoreSmall);
        Add("3: checksums in the pool", "/delay1msLoop", results => results.Loop);
        Add("3: checksums in the pool", "/delay1msLoopWithCpuWorker", results => results.LoopInPool);

        output.WriteLine(table.ToString("The steps: requests at so many connections"));
        output.WriteLine("Document: the README of Go's cpuworker, GOMAXPROCS 16 on an AWS c5d.12xlarge, ab on another machine; whole milliseconds.");
        output.WriteLine("Here, medians of the runs and their maximum, as wrk has them: it adds the requests that slow answers kept it from");
        output.WriteLine("sending. Step 2 is a server that has just started; requests unanswered at the end of a run are in no figure.");
        output.WriteLine();

        void Add(string step, string request, Func<StepResults, Runs> select, DocumentFigures? document = null)
        {
            foreach (StepResults results in (StepResults[])[at10, at100])
            {
                if (select(results) is { Reports.Count: > 0 } runs)
                {
                    string failed = runs.Failed > 0 ? $", {runs.Failed} failed" : "";
                    AddRow($"here, {results.Concurrency}{failed}", runs.Latency, runs.RequestsPerSecond);
                }
            }

            if (document is not null)
            {
                AddRow("document, 100", document.Latency, document.RequestsPerSecond);
            }

            void AddRow(string measured, Latencies? latency, double perSecond) => table.Add(
                step, request, measured, Text(latency?.P50), Text(latency?.P90), Text(latency?.P99), Text(latency?.Max), $"{perSecond:N0}");
        }
    }

    private static string Text(double? milliseconds) => milliseconds switch
    {
        null => "none",
        >= 100 or 0 => $"{milliseconds:N0}",
        _ => $"{milliseconds:0.00}",
    };
}
