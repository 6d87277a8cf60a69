namespace Picollo.Cli.Top;

/// <summary>The interactive screen: shows a page, then waits for a key or the next sample. The page does not change while a question is
/// open, so that its rows remain in place.</summary>
internal sealed partial class TopScreen(TopModel model, TopSettings settings, LiveScreen screen, Interrupt interrupt)
{
    private static readonly TimeSpan NoTimeout = TimeSpan.FromSeconds(-1);

    private readonly TopPage _page = new();
    private int _firstRow;
    private string? _message; // until the next key

    private enum Next
    {
        /// <summary>Redraw the page with the same sample.</summary>
        Page,
        Sample,
        Quit,
    }

    private bool HasEnded => interrupt.Token.IsCancellationRequested || screen.IsClosed;

    /// <summary>Shows pages until the user quits, or until the last requested page, which remains on the terminal.</summary>
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

    // Returns the exit code; null after the last requested page.
    private int? Run()
    {
        int samples = 0;
        Next next = Next.Sample;
        long sampled = 0;
        while (next != Next.Quit)
        {
            if (next == Next.Sample)
            {
                model.Update();
                sampled = Stopwatch.GetTimestamp();
                if (++samples == settings.Iterations)
                {
                    return null;
                }

                if (samples == 1 && model.UnavailableReasons.Any())
                {
                    _message = string.Join(' ', model.UnavailableReasons);
                }
            }

            if (HasEnded)
            {
                return interrupt.ExitCode ?? ExitCodes.ClosedPipe;
            }

            Draw(_message);
            if (ReadKeyUntilSample(sampled) is { } pressed)
            {
                _message = null;
                next = Do(pressed);
            }
            else
            {
                // Woken early: the size of the terminal has changed, or the session is over.
                next = Stopwatch.GetElapsedTime(sampled) < settings.Delay ? Next.Page : Next.Sample;
            }
        }

        return ExitCodes.Success;
    }

    private Key? ReadKeyUntilSample(long sampled)
    {
        TimeSpan left = settings.Delay - Stopwatch.GetElapsedTime(sampled);
        return screen.ReadKey(left > TimeSpan.Zero ? left : TimeSpan.Zero);
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
                settings.ShowThreads = !settings.ShowThreads;
                return Next.Sample; // threads may not have been read
            case '1':
                settings.PerCpu = !settings.PerCpu;
                break;
            case 'c':
                settings.ShowCommandLine = !settings.ShowCommandLine;
                break;
            case 'R':
                settings.IsReversed = !settings.IsReversed;
                break;
            case 'P' or 'M' or 'T' or 'N':
                Sort(key switch { 'P' => TopSort.Cpu, 'M' => TopSort.Memory, 'T' => TopSort.Time, _ => TopSort.Pid });
                break;
            case 'u':
                AskUser();
                break;
            case '/' or 'o':
                AskFilter();
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
                _message = "Unknown key; press h for help.";
                break;
        }

        return Next.Page;
    }

    private void Sort(TopSort sort)
    {
        settings.Sort = sort;
        settings.IsReversed = false;
        _firstRow = 0;
    }

    private int RowsOnPage => Math.Max(screen.Rows - _page.MessageLine - 2, 1);

    /// <summary>Shows the page with a text in its empty line. A longer text also covers the lines below.</summary>
    /// <param name="text">The text, without control characters; null for none.</param>
    /// <param name="isQuestion">Whether the text is a question, with the cursor at its end; otherwise, it is a message in reverse
    /// video.</param>
    private void Draw(string? text, bool isQuestion = false)
    {
        screen.Begin();
        IReadOnlyList<ScreenLine> lines = _page.Render(model.Sample, settings, screen.Columns, screen.Rows, Math.Max(_firstRow, 0));
        int last = Math.Max(_page.Rows.Count - RowsOnPage, 0);
        if (_firstRow < 0 || _firstRow > last)
        {
            _firstRow = Math.Clamp(_firstRow, 0, last);
            lines = _page.Render(model.Sample, settings, screen.Columns, screen.Rows, _firstRow);
        }

        List<string> over = text is null ? [] : CellText.Fold(text, screen.Columns);
        over = over[Math.Max(over.Count - screen.Rows, 0)..]; // keeps the end, which contains the question
        int first = Math.Min(_page.MessageLine, screen.Rows - over.Count);
        for (int i = 0; i < Math.Max(lines.Count, first + over.Count); i++)
        {
            if (i >= first && i < first + over.Count)
            {
                screen.Add(new ScreenLine(over[i - first], isQuestion ? LineStyle.Plain : LineStyle.Reverse));
            }
            else
            {
                screen.Add(i < lines.Count ? lines[i] : new ScreenLine(""));
            }
        }

        screen.Show(isQuestion ? (CellText.WidthOf(over[^1]), first + over.Count - 1) : null);
    }

    private void Draw(IEnumerable<ScreenLine> lines)
    {
        screen.Begin();
        foreach (ScreenLine line in lines)
        {
            screen.Add(line);
        }

        screen.Show();
    }

    private void ShowHelp()
    {
        do
        {
            Draw(TopHelp.Lines(settings));
        }
        while (screen.ReadKey(NoTimeout) is null && !HasEnded);
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
        model.WithThreads = true;
        for (Key? key = null; key is null && !HasEnded;)
        {
            if (sampled is null || Stopwatch.GetElapsedTime(sampled.Value) >= settings.Delay)
            {
                model.Update();
                sampled = Stopwatch.GetTimestamp();
                if (Find(id) is not { } now || now.Usage < process.Usage) // the CPU time decreased: another process has the same ID
                {
                    _message = $"{id} has exited.";
                    break;
                }

                process = now;
            }

            IEnumerable<TopRow> threads = model.Sample.Threads.Where(thread => thread.Process.Id == id);
            Draw(TopProcessPage.Render(process, threads, model.Sample.CommandLineOf(id), model.History.Find(id), screen.Columns));
            key = ReadKeyUntilSample(sampled.Value);
        }

        model.WithThreads = false;
        return Next.Sample;
    }
}

/// <summary>Describes the keys on a page of 80 columns and 24 lines.</summary>
internal static class TopHelp
{
    public static IEnumerable<ScreenLine> Lines(TopSettings settings)
    {
        string signals = settings.IsSecure ? "disabled by --secure" : "signal a process, or set its niceness (asks first)";
        string text = $"""

              P, M, T, N           sort by %CPU, %MEM, TIME+, PID
              R                    reverse the sort order
              1                    toggle one line for each CPU
              H                    toggle threads and processes
              c                    toggle command lines and names
              u                    list the processes of one user
              /, o                 list processes whose command or user contains the text
              p                    show one process: CPU usage over the session, threads
              Up, Down, PageUp, PageDown, Home, End    scroll the list
              d, s                 set the seconds between samples
              Space, Enter         take a sample now
              h, ?                 show this page
              k, r                 {signals}
              q, Ctrl+C            quit

            100 %CPU is one full CPU. %WAIT is the time in which threads were runnable but
            had to wait, because another thread ran on their CPU or their cgroup was
            throttled. It is the sum over all threads of the process, so it can exceed 100.
            NI: with autogroups (sched(7)), the kernel first shares the CPUs among the
            terminal sessions. The niceness of a process applies only within its session.

            """;
        return
        [
            new("picollo top: keys", LineStyle.Bold),
            .. text.Split('\n').Select(line => new ScreenLine(line)),
            new("Press any key to return.", LineStyle.Reverse),
        ];
    }
}
