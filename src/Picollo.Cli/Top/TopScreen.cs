using System.Diagnostics;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Top;

/// <summary>The live screen: shows a page, then waits for a key or the next sample. The page does not change while a question is open, so
/// that its rows stay in place.</summary>
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
        /// <summary>Draw the page again, with the same sample.</summary>
        Page,
        Sample,
        Quit,
    }

    private bool IsOver => _interrupt.Token.IsCancellationRequested || _screen.IsGone;

    /// <summary>Shows pages until the user quits, or until the last requested page, which stays.</summary>
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

        (int columns, int rows) = Terminal.WindowSize ?? (terminal.Width, 24);
        foreach (ScreenLine line in new TopPage().Render(model.Sample, settings, columns, rows - 1))
        {
            terminal.Out.WriteLine(line.Text);
        }

        return ExitCodes.Success;
    }

    // Null after the last requested page.
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
            if (ReadKeyUntilSample(sampled) is { } pressed)
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

    private Key? ReadKeyUntilSample(long sampled)
    {
        TimeSpan left = _settings.Delay - Stopwatch.GetElapsedTime(sampled);
        return _screen.ReadKey(left > TimeSpan.Zero ? left : TimeSpan.Zero);
    }

    private Next Do(Key key)
    {
        if (key.Code is KeyCode.Text or KeyCode.Enter)
        {
            return key.Code == KeyCode.Text ? Do(key.Char) : Next.Sample;
        }

        _firstRow = key.Code switch
        {
            KeyCode.Up => _firstRow - 1,
            KeyCode.Down => _firstRow + 1,
            KeyCode.PageUp => _firstRow - RowsOnPage,
            KeyCode.PageDown => _firstRow + RowsOnPage,
            KeyCode.Home => 0,
            KeyCode.End => int.MaxValue / 2,
            _ => _firstRow,
        };
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

    /// <summary>Shows the page, and a text in place of its empty line; a longer text also covers the lines below.</summary>
    /// <param name="text">Fit for a terminal; null for none.</param>
    /// <param name="isQuestion">Whether the cursor is shown at its end; else it is a message in reverse.</param>
    private void Draw(string? text, bool isQuestion = false)
    {
        _screen.Begin();
        IReadOnlyList<ScreenLine> lines = _page.Render(_model.Sample, _settings, _screen.Columns, _screen.Rows, Math.Max(_firstRow, 0));
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
                _screen.Add(new ScreenLine(over[i - first], isQuestion ? LineStyle.Plain : LineStyle.Reverse));
            }
            else
            {
                _screen.Add(i < lines.Count ? lines[i] : new ScreenLine(""));
            }
        }

        _screen.Show(isQuestion ? (CellText.WidthOf(over[^1]), first + over.Count - 1) : null);
    }

    private void Draw(IEnumerable<ScreenLine> lines)
    {
        _screen.Begin();
        foreach (ScreenLine line in lines)
        {
            _screen.Add(line);
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
                if (Find(id) is not { } now || now.Usage < process.Usage) // less than before: another process with the same ID
                {
                    _message = $"{id} has ended.";
                    break;
                }

                process = now;
            }

            IEnumerable<TopRow> threads = _model.Sample.Threads.Where(thread => thread.Process.Id == id);
            Draw(TopProcessPage.Render(process, threads, _model.Sample.CommandLineOf(id), _model.History.Of(id), _screen.Columns));
            key = ReadKeyUntilSample(sampled.Value);
        }

        _model.WithThreads = false;
        return Next.Sample;
    }
}
