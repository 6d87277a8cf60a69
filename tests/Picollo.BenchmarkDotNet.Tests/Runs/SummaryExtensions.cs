using BenchmarkDotNet.Reports;

namespace Picollo.BenchmarkDotNet.Tests.Runs;

/// <summary>Extension methods that read a summary.</summary>
internal static class SummaryExtensions
{
    /// <summary>Returns a measured value in the base unit of the table.</summary>
    /// <param name="summary">The summary.</param>
    /// <param name="benchmark">The name of the method.</param>
    /// <param name="column">The name of the column, without suffixes of the header.</param>
    public static double Value(this Summary summary, string benchmark, string column)
    {
        BenchmarkReport report = summary.Reports.Single(report => report.BenchmarkCase.Descriptor.WorkloadMethod.Name == benchmark);
        report.Metrics.Should().ContainKey(column, "{0} was measured", benchmark);
        return report.Metrics[column].Value;
    }

    /// <summary>Returns the text of a cell.</summary>
    public static string Cell(this Summary summary, string benchmark, string column)
    {
        SummaryTable table = summary.Table;
        int row = Array.FindIndex(table.FullContent, cells => cells[IndexOf(table, "Method")] == benchmark);
        return table.FullContent[row][IndexOf(table, column)];
    }

    /// <summary>Returns the headers of the columns that Picollo adds, in order.</summary>
    public static IEnumerable<string> Headers(this Summary summary) =>
        summary.Table.Columns.Where(column => column.OriginalColumn.Category == global::BenchmarkDotNet.Columns.ColumnCategory.Metric).Select(column => column.Header);

    /// <summary>Returns the names of all metrics, including those without a column.</summary>
    public static IEnumerable<string> Measured(this Summary summary) => summary.Reports.SelectMany(report => report.Metrics.Keys).Distinct();

    /// <summary>Returns the validation messages about measures, which do not end a run. Excludes the warning of BenchmarkDotNet about a
    /// path that contains "tmp" or "temp".</summary>
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
