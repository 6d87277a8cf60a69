using BenchmarkDotNet.Reports;

namespace Picollo.BenchmarkDotNet.Tests.Runs;

/// <summary>What tests look at in a summary.</summary>
internal static class SummaryExtensions
{
    /// <summary>A value as it was measured, in the table's unit without prefix.</summary>
    /// <param name="summary">The table.</param>
    /// <param name="benchmark">The method's name.</param>
    /// <param name="column">The column's, less what headers add.</param>
    public static double Value(this Summary summary, string benchmark, string column)
    {
        BenchmarkReport report = summary.Reports.Single(report => report.BenchmarkCase.Descriptor.WorkloadMethod.Name == benchmark);
        report.Metrics.Should().ContainKey(column, "{0} was measured", benchmark);
        return report.Metrics[column].Value;
    }

    /// <summary>A cell as it is shown.</summary>
    public static string Cell(this Summary summary, string benchmark, string column)
    {
        SummaryTable table = summary.Table;
        int row = Array.FindIndex(table.FullContent, cells => cells[IndexOf(table, "Method")] == benchmark);
        return table.FullContent[row][IndexOf(table, column)];
    }

    /// <summary>The headers of the columns that are no part of BenchmarkDotNet, in order.</summary>
    public static IEnumerable<string> Headers(this Summary summary) =>
        summary.Table.Columns.Where(column => column.OriginalColumn.Category == global::BenchmarkDotNet.Columns.ColumnCategory.Metric).Select(column => column.Header);

    /// <summary>The names of all that was measured, also of what no column shows.</summary>
    public static IEnumerable<string> Measured(this Summary summary) => summary.Reports.SelectMany(report => report.Metrics.Keys).Distinct();

    /// <summary>What validation said of measures, none of which ends a run. What BenchmarkDotNet says of the place is left out: it warns
    /// of a path with "tmp" or "temp" in it.</summary>
    public static IEnumerable<string> Messages(this Summary summary)
    {
        summary.ValidationErrors.Should().NotContain(error => error.IsCritical);
        return summary.ValidationErrors.Select(error => error.Message).Where(message => !message.Contains("located in temp", StringComparison.Ordinal));
    }

    private static int IndexOf(SummaryTable table, string column)
    {
        int index = Array.IndexOf(table.FullHeader, column);
        index.Should().BeGreaterThanOrEqualTo(0, "{0} is one of {1}", column, string.Join(", ", table.FullHeader));
        return index;
    }
}
