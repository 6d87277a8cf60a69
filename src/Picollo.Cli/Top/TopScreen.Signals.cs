using System.Globalization;
using System.Text;
using Picollo.Cli.Shell;
using Picollo.Diagnostics;

namespace Picollo.Cli.Top;

// What is done to processes. Each is taken hold of before more is asked: between a question and its answer its id may have become
// another's.
internal sealed partial class TopScreen
{
    private const int LongestCommand = 120; // cells of a question
    private const int FirstProcess = 1;

    private void Signal() => Change("signal", held =>
    {
        string? answer = Ask($"Signal for {held.Id} by name or number [{SignalName.Term}/TERM]:");
        if (answer is null)
        {
            return null;
        }

        if ((answer.Length == 0 ? SignalName.Term : SignalName.Find(answer)) is not { } signal)
        {
            _message = $"There is no signal {ForeignText.Clean(answer)}.";
            return null;
        }

        string name = SignalName.Of(signal);
        return new($"Send {name} to", () => held.TrySignal(signal, out string? reason) ? $"{name} is sent to {held.Id}." : reason);
    });

    private void Renice() => Change("renice", held =>
    {
        string? answer = Ask($"Niceness for {held.Id}, -20 to 19 [{Find(held.Id)?.Nice}]:");
        if (answer is null or "")
        {
            return null;
        }

        if (!int.TryParse(answer, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int nice) || nice is < -20 or > 19)
        {
            _message = $"{ForeignText.Clean(answer)} is no niceness: -20 to 19.";
            return null;
        }

        return new(
            $"Set niceness {nice} for",
            () => held.TrySetNice(nice, out string? reason) ? $"{held.Id} has niceness {nice}." : reason);
    });

    private void Change(string purpose, Func<RunningProcess, Deed?> ask)
    {
        if (_settings.IsSecure)
        {
            _message = "Off: --secure";
            return;
        }

        if (AskProcess(purpose) is not { } row)
        {
            return;
        }

        if (!RunningProcess.TryOpen(row.Process, out RunningProcess? held, out string? reason))
        {
            _message = ForeignText.Clean(reason);
            return;
        }

        using (held)
        {
            if (ask(held) is not { } deed)
            {
                return;
            }

            _message = Confirm($"{deed.Question} {Describe(row)}?") && ConfirmAgain(held.Id, deed.Question)
                ? ForeignText.Clean(deed.Do())
                : "Nothing is done.";
        }
    }

    // The ones whose end, or want of CPU time, takes more with it than themselves.
    private bool ConfirmAgain(int id, string question) =>
        id == FirstProcess ? Confirm($"{id} is the first process, on which all others depend. {question} it all the same?")
        : id != Environment.ProcessId || Confirm($"{id} is picollo itself. {question} it all the same?");

    private string Describe(in TopRow row)
    {
        string[]? words = _model.Sample.CommandLineOf(row.Process.Id);
        StringBuilder text = new();
        text.Append(CultureInfo.InvariantCulture, $"{row.Process.Id} (");
        CellText.AppendFitting(
            text, ForeignText.Clean(words is { Length: > 0 } ? string.Join(' ', words) : row.Process.Name), LongestCommand);
        return text.Append(") of ").Append(ForeignText.Clean(row.User)).ToString();
    }

    /// <summary>What is to be done when it is affirmed.</summary>
    /// <param name="Question">It, as the beginning of a question.</param>
    /// <param name="Do">Does it, and tells what became of it.</param>
    private readonly record struct Deed(string Question, Func<string> Do);
}
