using System.Globalization;

namespace Picollo.Benchmarks.Spans;

/// <summary><c>compare spans</c>: measures the cost of the CPU time of a span, in half a minute.</summary>
internal static class SpanComparison
{
    public const string Name = "spans";

    private const int Repetitions = 401;
    private const double LimitNanoseconds = 2_500;
    private const double LimitNotSampled = 50;
    private const double LimitBytes = 300;
    private const int AllocationOperations = 20_000;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        List<Row> rows = [.. Enum.GetValues<SpanKind>().SelectMany(RowsOf)];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
        PrintAllocations(output, rows.Where(row => row.Against is not null));
        return 0;
    }

    private static IEnumerable<Row> RowsOf(SpanKind kind)
    {
        SpanContender bare = new(kind, isMeasured: false);
        double? limit = kind switch
        {
            SpanKind.NotSampled or SpanKind.WithoutTracer => LimitNotSampled,
            SpanKind.WithAwait => null, // two more readings of the clocks for each await
            _ => LimitNanoseconds,
        };
        yield return new Row("Start and stop a span", bare);
        yield return new Row("Start and stop a span", new SpanContender(kind, isMeasured: true), bare, limit, IsDifference: true);
    }

    private static void PrintAllocations(TextWriter output, IEnumerable<Row> rows)
    {
        TextTable table = new("Allocations", "bytes per span", "bytes without", "additional bytes", "target", "verdict");
        foreach (Row row in rows)
        {
            double measured = row.Measured.AllocatedBytes(AllocationOperations);
            double bare = row.Against!.AllocatedBytes(AllocationOperations);
            table.Add(
                row.Measured.Name, Text(measured), Text(bare), Text(measured - bare), $"<= {LimitBytes}",
                measured - bare <= LimitBytes ? "ok" : "MISSED");
        }

        table.Print(output);

        static string Text(double bytes) => bytes.ToString("0.#", CultureInfo.InvariantCulture);
    }
}
