using System.Diagnostics;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Top;

/// <summary>The live screen: a page, then a key or the next sample. While a question is open the page stands still, so that what is chosen
/// on it stays where it is.</summary>
internal sealed partial class TopScreen
{
    private static readonly TimeSpan NoEnd = TimeSpan.FromSeconds(-1);

    private readonly TopPage _page = new();
    private readonly TopModel _model;
    private readonly TopSettings _settings;
    private readonly LiveScreen _screen;
    private readonly Interrupt _interrupt;
    private int _firstRow;
    private string? _message; // until the next key

    private TopScreen(TopModel model, TopSettings settings, LiveScreen screen, Interrupt interrupt) =>
        (_model, _settings, _screen, _interrupt) = (model, settings, screen, interrupt);

    private enum Next
    {
        /// <summary>The page once more, with what is known.</summary>
        Page,
        Sample,
        Quit,
    }

    private bool IsOver => _interrupt.Token.IsCancellationRequested || _screen.IsGone;

    /// <summary>Shows it until the user has had enough, or the last of the pages that are wanted is there; that one stays.</summary>
    /// <returns>The exit code.</returns>
    public static int Run(Terminal terminal, TopModel model, TopSettings settings)
    {
        using (LiveScreen? screen = LiveScreen.TryOpen(terminal))
        {
            if (screen is null)
            {
                return TopBatch.Run(terminal, model, settings, width: null);
            }

            using Interrupt interrupt = new();
            using CancellationTokenRegistration wake = interrupt.Token.Register(screen.Wake);
            TopScreen top = new(model, settings, screen, interrupt);
            if (top.Run() is { } exitCode)
            {
                return exitCode;
            }
        }

        (int columns, int rows) = WindowSize.Current ?? (terminal.Width, 24);
        foreach (TopLine line in new TopPage().Render(model.Sample, settings, columns, rows - 1))
        {
            terminal.Out.WriteLine(line.Text);
        }

        return ExitCodes.Success;
    }

    // Null when there are enough pages.
    private int? Run()
    {
        int samples = 0;
        Next next = Next.Sample;
        long sampled = 0;
        while (next != Next.Quit)
        {
            if (next == Next.Sample)
            {
                _model.Update();
                sampled = Stopwatch.GetTimestamp();
                if (++samples == _settings.Iterations)
                {
                    return null;
                }

                if (samples == 1 && _model.UnavailableReasons.Any())
                {
                    _message = string.Join(' ', _model.UnavailableReasons);
                }
            }

            if (IsOver)
            {
                return _interrupt.ExitCode ?? ExitCodes.ClosedPipe;
            }

            Draw(_message);
            TimeSpan left = _settings.Delay - Stopwatch.GetElapsedTime(sampled);
            Key? key = _screen.ReadKey(left > TimeSpan.Zero ? left : TimeSpan.Zero);
            if (key is { } pressed)
            {
                _message = null;
                next = Do(pressed);
            }
            else
            {
                // Woken before the time: the size has changed, or it is over.
                next = Stopwatch.GetElapsedTime(sampled) < _settings.Delay ? Next.Page : Next.Sample;
            }
        }

        return ExitCodes.Success;
    }

    private Next Do(Key key)
    {
        switch (key.Code)
        {
            case KeyCode.Text:
                return Do(key.Char);
            case KeyCode.Enter:
                return Next.Sample;
            case KeyCode.Up:
                _firstRow--;
                break;
            case KeyCode.Down:
                _firstRow++;
                break;
            case KeyCode.PageUp:
                _firstRow -= RowsOnPage;
                break;
            case KeyCode.PageDown:
                _firstRow += RowsOnPage;
                break;
            case KeyCode.Home:
                _firstRow = 0;
                break;
            case KeyCode.End:
                _firstRow = int.MaxValue / 2;
                break;
            default:
                break;
        }

        return Next.Page;
    }

    private Next Do(char key)
    {
        switch (key)
        {
            case 'q':
                return Next.Quit;
            case ' ':
                return Next.Sample;
            case 'H':
                _settings.ShowThreads = !_settings.ShowThreads;
                return Next.Sample; // threads may not have been read
            case '1':
                _settings.PerCpu = !_settings.PerCpu;
                break;
            case 'c':
                _settings.ShowCommandLine = !_settings.ShowCommandLine;
                break;
            case 'R':
                _settings.IsReversed = !_settings.IsReversed;
                break;
            case 'P':
                Sort(TopSort.Cpu);
                break;
            case 'M':
                Sort(TopSort.Memory);
                break;
            case 'T':
                Sort(TopSort.Time);
                break;
            case 'N':
                Sort(TopSort.Pid);
                break;
            case 'u':
                AskUser();
                break;
            case 'd' or 's':
                AskDelay();
                break;
            case 'k':
                Signal();
                break;
            case 'r':
                Renice();
                break;
            case 'p':
                return ShowProcess();
            case 'h' or '?':
                ShowHelp();
                break;
            default:
                _message = "h shows what keys do.";
                break;
        }

        return Next.Page;
    }

    private void Sort(TopSort sort)
    {
        _settings.Sort = sort;
        _settings.IsReversed = false;
        _firstRow = 0;
    }

    private int RowsOnPage => Math.Max(_screen.Rows - _page.MessageLine - 2, 1);

    /// <summary>Shows the page, and a text over its empty line; of one that is longer than a line, over those below as well.</summary>
    /// <param name="text">Fit for a terminal; null for none.</param>
    /// <param name="isQuestion">The cursor stands at its end; else it is a message, which stands out.</param>
    private void Draw(string? text, bool isQuestion = false)
    {
        _screen.Begin();
        IReadOnlyList<TopLine> lines = _page.Render(_model.Sample, _settings, _screen.Columns, _screen.Rows, Math.Max(_firstRow, 0));
        int last = Math.Max(_page.Rows.Count - RowsOnPage, 0);
        if (_firstRow < 0 || _firstRow > last)
        {
            _firstRow = Math.Clamp(_firstRow, 0, last);
            lines = _page.Render(_model.Sample, _settings, _screen.Columns, _screen.Rows, _firstRow);
        }

        List<string> over = text is null ? [] : CellText.Fold(text, _screen.Columns);
        over = over[Math.Max(over.Count - _screen.Rows, 0)..]; // the end is what is asked
        int first = Math.Min(_page.MessageLine, _screen.Rows - over.Count);
        for (int i = 0; i < Math.Max(lines.Count, first + over.Count); i++)
        {
            if (i >= first && i < first + over.Count)
            {
                _screen.Add(over[i - first], isReverse: !isQuestion);
            }
            else
            {
                Add(i < lines.Count ? lines[i] : new TopLine(""));
            }
        }

        _screen.Show(isQuestion ? (CellText.WidthOf(over[^1]), first + over.Count - 1) : null);
    }

    private void Add(TopLine line) => _screen.Add(line.Text, line.Style == TopStyle.Bold, line.Style == TopStyle.Reverse);

    private void Draw(IEnumerable<TopLine> lines)
    {
        _screen.Begin();
        foreach (TopLine line in lines)
        {
            Add(line);
        }

        _screen.Show();
    }

    private void ShowHelp()
    {
        do
        {
            Draw(TopHelp.Lines(_settings));
        }
        while (_screen.ReadKey(NoEnd) is null && !IsOver);
    }

    private Next ShowProcess()
    {
        if (AskProcess("show") is not { } chosen)
        {
            return Next.Page;
        }

        int id = chosen.Process.Id;
        TopRow process = chosen;
        long? sampled = null;
        _model.WithThreads = true;
        for (Key? key = null; key is null && !IsOver;)
        {
            if (sampled is null || Stopwatch.GetElapsedTime(sampled.Value) >= _settings.Delay)
            {
                _model.Update();
                sampled = Stopwatch.GetTimestamp();
                if (Find(id) is not { } now || now.Usage < process.Usage) // less than before is another's of the same id
                {
                    _message = $"{id} has ended.";
                    break;
                }

                process = now;
            }

            IEnumerable<TopRow> threads = _model.Sample.Threads.Where(thread => thread.Process.Id == id);
            Draw(TopProcessPage.Render(process, threads, _model.Sample.CommandLineOf(id), _model.History.Of(id), _screen.Columns));
            TimeSpan left = _settings.Delay - Stopwatch.GetElapsedTime(sampled.Value);
            key = _screen.ReadKey(left > TimeSpan.Zero ? left : TimeSpan.Zero);
        }

        _model.WithThreads = false;
        return Next.Sample;
    }
}
