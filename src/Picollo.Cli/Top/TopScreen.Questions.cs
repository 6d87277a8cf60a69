namespace Picollo.Cli.Top;

// Questions to the user.
internal sealed partial class TopScreen
{
    /// <returns>The text; null if the user canceled.</returns>
    private string? Ask(string question)
    {
        InputLine line = new();
        while (true)
        {
            Draw($"{question} {ForeignText.Clean(line.Text)}", isQuestion: true);
            Key? key = screen.ReadKey(NoTimeout);
            if (HasEnded)
            {
                return null;
            }

            if (key is { } pressed && line.Add(pressed) is var isDone && isDone != false)
            {
                return isDone is null ? null : line.Text.Trim();
            }
        }
    }

    /// <summary>Asks for a confirmation with <c>y</c>.</summary>
    private bool Confirm(string question)
    {
        Key? key;
        do
        {
            Draw($"{question} [y/N] ", isQuestion: true);
            key = screen.ReadKey(NoTimeout);
        }
        while (key is null && !HasEnded);
        return !HasEnded && key?.Char is 'y' or 'Y';
    }

    /// <summary>Asks for a process. The default is the first one on the page.</summary>
    /// <returns>The process; null if it does not exist, which is reported to the user.</returns>
    private TopRow? AskProcess(string purpose)
    {
        int? first = _firstRow < _page.Rows.Count ? _page.Rows[_firstRow].Process.Id : null;
        string? answer = Ask(first is { } id ? $"PID to {purpose} [{id}]:" : $"PID to {purpose}:");
        if (answer is null)
        {
            return null;
        }

        if (answer.Length == 0 && first is not null)
        {
            return Find(first.Value);
        }

        if (CommandOptions.Number(answer, 1) is not { } named)
        {
            _message = $"{ForeignText.Clean(answer)} is not a process ID.";
            return null;
        }

        if (Find(named) is { } row)
        {
            return row;
        }

        model.Update(); // the process may be newer than the page
        TopRow? found = Find(named);
        _message = found is null ? $"Process {named} does not exist." : null;
        return found;
    }

    private TopRow? Find(int id)
    {
        int index = model.Sample.Processes.FindIndex(row => row.Process.Id == id);
        return index >= 0 ? model.Sample.Processes[index] : null;
    }

    private void AskUser()
    {
        string? answer = Ask("Name or ID of the user to list (empty for all):");
        if (answer is null)
        {
            return;
        }

        uint user = 0;
        if (answer.Length > 0 && !Users.TryFind(answer, out user))
        {
            _message = $"User {ForeignText.Clean(answer)} does not exist.";
            return;
        }

        settings.User = answer.Length > 0 ? user : null;
        _firstRow = 0;
    }

    private void AskFilter()
    {
        if (Ask("Text in the command or user (empty for all):") is { } answer)
        {
            settings.Filter = answer;
            _firstRow = 0;
        }
    }

    private void AskDelay()
    {
        string? answer = Ask(Invariant($"Seconds between samples [{settings.Delay.TotalSeconds}]:"));
        if (answer is null or "")
        {
            return;
        }

        TimeSpan? delay = TopSettings.DelayOf(answer);
        settings.Delay = delay ?? settings.Delay;
        if (delay is null)
        {
            _message = $"{ForeignText.Clean(answer)} is not a valid delay: {TopSettings.Delays}.";
        }
    }
}

internal sealed class InputLine
{
    private const int MaxLength = 256;

    private readonly List<Rune> _runes = [];

    public string Text => string.Concat(_runes);

    /// <returns><see langword="true"/> if the line is complete; <see langword="false"/> if it is not; null if the input was
    /// canceled.</returns>
    public bool? Add(Key key)
    {
        switch (key.Code)
        {
            case KeyCode.Enter:
                return true;
            case KeyCode.Escape:
                return null;
            case KeyCode.EraseLine:
                _runes.Clear();
                break;
            case KeyCode.Backspace when _runes.Count > 0:
                _runes.RemoveAt(_runes.Count - 1);
                break;
            case KeyCode.Text when _runes.Count < MaxLength:
                _runes.Add(key.Rune);
                break;
        }

        return false;
    }
}
