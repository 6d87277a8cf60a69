using Picollo.Cpu;

namespace Picollo.Cli.Top;

/// <summary>The columns of top(1), plus %WAIT between %MEM and TIME+, so that the columns before it keep their positions for awk. On a
/// narrow page, columns are narrower and numbers have larger units.</summary>
internal readonly record struct TopColumns(int Id, int Virtual, int Resident, int Shared, int Memory, int Time)
{
    private const int User = 8;
    private const int Priority = 3;
    private const int Percent = 5;
    private const int MinIdWidth = 5;

    /// <summary>The width of the name column: names have at most 15 bytes.</summary>
    private const int MinNameWidth = 15;

    /// <summary>The smallest priority that is shown as a number. Smaller ones (SCHED_FIFO 99, SCHED_DEADLINE) are shown as
    /// <c>rt</c>.</summary>
    private const int MinShownPriority = -99;

    private int BeforeName => Id + User + (2 * Priority) + Virtual + Resident + Shared + 1 + (2 * Percent) + Memory + Time + 12;

    /// <param name="largestId">The largest process or thread ID on the page.</param>
    public static TopColumns For(int columns, long largestId)
    {
        int id = MinIdWidth;
        for (long limit = 100_000; largestId >= limit; limit *= 10)
        {
            id++;
        }

        TopColumns wide = new(id, Virtual: 7, Resident: 6, Shared: 6, Memory: 5, Time: 9);
        return columns >= wide.BeforeName + MinNameWidth ? wide : new(id, Virtual: 6, Resident: 5, Shared: 5, Memory: 4, Time: 8);
    }

    public void AppendHeader(StringBuilder to)
    {
        TopNumbers.AppendText(to, "PID", Id);
        to.Append(" USER     ");
        TopNumbers.AppendText(to, "PR", Priority);
        TopNumbers.AppendText(to, " NI", Priority + 1);
        TopNumbers.AppendText(to, " VIRT", Virtual + 1);
        TopNumbers.AppendText(to, " RES", Resident + 1);
        TopNumbers.AppendText(to, " SHR", Shared + 1);
        to.Append(" S");
        TopNumbers.AppendText(to, " %CPU", Percent + 1);
        TopNumbers.AppendText(to, " %MEM", Memory + 1);
        TopNumbers.AppendText(to, " %WAIT", Percent + 1);
        TopNumbers.AppendText(to, " TIME+", Time + 1);
        to.Append(" COMMAND");
    }

    /// <param name="command">The text of the last column, without control characters.</param>
    /// <param name="memoryBytes">The memory of the machine, in bytes; 0 if it is unknown.</param>
    public void AppendRow(StringBuilder to, in TopRow row, string command, long memoryBytes, int columns)
    {
        TopNumbers.AppendCount(to, row.Id, Id).Append(' ');
        int user = CellText.AppendFitting(to, ForeignText.Clean(row.User), User);
        to.Append(' ', User - user + 1);
        _ = row.Priority < MinShownPriority
            ? TopNumbers.AppendText(to, "rt", Priority)
            : TopNumbers.AppendCount(to, row.Priority, Priority);
        to.Append(' ');
        TopNumbers.AppendCount(to, row.Nice, Priority).Append(' ');
        ProcessCpu process = row.Process;
        TopNumbers.AppendMemory(to, process.VirtualBytes, Virtual).Append(' ');
        TopNumbers.AppendMemory(to, process.ResidentBytes, Resident).Append(' ');
        TopNumbers.AppendMemory(to, process.SharedBytes, Shared).Append(' ').Append(row.State ?? '?').Append(' ');
        TopNumbers.AppendPercent(to, row.Share, Percent).Append(' ');
        TopNumbers.AppendPercent(to, memoryBytes > 0 ? process.ResidentBytes / (double)memoryBytes : null, Memory).Append(' ');
        TopNumbers.AppendPercent(to, row.WaitShare, Percent).Append(' ');
        TopNumbers.AppendTime(to, row.Usage.Total, Time).Append(' ');
        CellText.AppendFitting(to, command, Math.Max(columns - BeforeName, 0));
    }
}
