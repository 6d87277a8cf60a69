using System.Globalization;

namespace Picollo.Benchmarks.Meters;

/// <summary><c>compare meters</c>: measures the cost of a measurement of a histogram instrument, in half a minute.</summary>
internal static class MeterComparison
{
    public const string Name = "meters";

    private const int Repetitions = 201;
    private const double Limit = 0.45;
    private const double LimitOfTwoThreads = 0.5;
    private const int AllocationOperations = 100_000;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        List<Row> rows = [.. RowsOf(0), .. RowsOf(2), .. RowsOf(5)];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
        PrintAllocations(output, [.. rows.Select(row => row.Measured).Where(contender => contender is MeterContender)]);
        return 0;
    }

    private static IEnumerable<Row> RowsOf(int tagCount)
    {
        MeasurementSet set = MeasurementSet.WithTags(tagCount);
        string section = $"Record(value, tags), {set}";
        OpenTelemetryMeter theirs = new(set);
        PicolloMeter ours = new(set);
        ParallelContender theirsTwice = new(theirs);
        yield return new Row(section, theirs);
        yield return new Row(section, ours, theirs, Limit);
        yield return new Row(section, theirsTwice);
        yield return new Row(section, new ParallelContender(ours), theirsTwice, LimitOfTwoThreads);
    }

    private static void PrintAllocations(TextWriter output, IReadOnlyList<Contender> contenders)
    {
        TextTable table = new("Allocations", "bytes per measurement");
        foreach (Contender contender in contenders)
        {
            table.Add(contender.Name, contender.AllocatedBytes(AllocationOperations).ToString("0.##", CultureInfo.InvariantCulture));
        }

        table.Print(output);
    }
}
