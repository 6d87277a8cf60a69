namespace Picollo.Cli.Top;

/// <summary>Renders a sample as lines. Reuses its memory, so a result is valid only until the next call.</summary>
internal sealed class TopPage
{
    private const int LineLength = 1024;

    /// <summary>The share of a CPU from which a row is colored.</summary>
    private const double HighlightThreshold = 0.1;

    private readonly List<ScreenLine> _lines = [];
    private readonly TopList _list = new();
    private readonly StringBuilder _text = new(LineLength); // a single chunk, which is reused

    /// <summary>All rows of the last list in order, including those above and below the page.</summary>
    public IReadOnlyList<TopRow> Rows => _list.Rows;

    /// <summary>The index of the empty line above the header, where messages are shown.</summary>
    public int MessageLine { get; private set; }

    /// <param name="columns">The number of cells in a line; <see cref="int.MaxValue"/> for no limit.</param>
    /// <param name="lines">The maximum number of lines; null for no limit.</param>
    /// <param name="firstRow">The index in <see cref="Rows"/> of the first row on the page.</param>
    public IReadOnlyList<ScreenLine> Render(TopSample sample, TopSettings settings, int columns, int? lines = null, int firstRow = 0)
    {
        List<TopRow> rows = _list.Select(
            settings.ShowThreads ? sample.Threads : sample.Processes, settings, row => CommandOf(row, sample, settings));
        _lines.Clear();
        foreach (string line in TopHeader.Lines(sample, settings))
        {
            Add(line, LineStyle.Plain, columns);
        }

        MessageLine = _lines.Count;
        _lines.Add(new ScreenLine(""));
        long largestId = 0;
        foreach (TopRow row in rows)
        {
            largestId = Math.Max(largestId, row.Id);
        }

        TopColumns layout = TopColumns.For(columns, largestId);
        _text.Clear();
        layout.AppendHeader(_text);
        Add(_text.ToString(), LineStyle.Reverse, columns);

        int end = lines is { } most ? Math.Min(rows.Count, Math.Max(most - _lines.Count, 0) + firstRow) : rows.Count;
        for (int i = firstRow; i < end; i++)
        {
            TopRow row = rows[i];
            _text.Clear();
            layout.AppendRow(_text, row, CommandOf(row, sample, settings), sample.Memory?.TotalBytes ?? 0, columns);
            Add(_text.ToString(), StyleOf(row, sample), columns);
        }

        if (_lines.Count > lines)
        {
            _lines.RemoveRange(lines.Value, _lines.Count - lines.Value);
        }

        return _lines;
    }

    private static LineStyle StyleOf(in TopRow row, TopSample sample) => row.Process.Id == sample.OwnId ? LineStyle.Bold
        : row.WaitShare >= HighlightThreshold ? LineStyle.Yellow
        : row.Share >= HighlightThreshold ? LineStyle.Green
        : LineStyle.Plain;

    private static string CommandOf(in TopRow row, TopSample sample, TopSettings settings)
    {
        if (!settings.ShowCommandLine || sample.CommandLineOf(row.Process.Id) is not { } words)
        {
            return ForeignText.Clean(row.Name);
        }

        // As in ps(1): kernel threads and zombies have no command line.
        string line = ForeignText.Clean(string.Join(' ', words));
        return line.Length > 0 ? line : $"[{ForeignText.Clean(row.Name)}]";
    }

    private void Add(string text, LineStyle style, int columns)
    {
        if (CellText.WidthOf(text) > columns)
        {
            _text.Clear();
            CellText.AppendFitting(_text, text, columns);
            text = _text.ToString();
        }

        _lines.Add(new ScreenLine(text, style));
    }
}
