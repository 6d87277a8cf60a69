using Picollo.Diagnostics.Commands.Linux;

namespace Picollo.Cli.Top;

// Changes of processes. A process is opened before the first question, because its ID may be reused before the answer.
internal sealed partial class TopScreen
{
    private const int MaxCommandWidth = 120; // cells of a question
    private const int FirstProcess = 1;

    private void Signal() => Change("signal", target =>
    {
        string? answer = Ask($"Signal for {target.Id} by name or number [{Signals.Terminate}/TERM]:");
        if (answer is null)
        {
            return null;
        }

        if ((answer.Length == 0 ? Signals.Terminate : Signals.Find(answer)) is not { } signal)
        {
            _message = $"Signal {ForeignText.Clean(answer)} does not exist.";
            return null;
        }

        string name = Signals.NameOf(signal);
        return ($"Send {name} to", () => target.Signal(signal) ?? $"{name} was sent to {target.Id}.");
    });

    private void Renice() => Change("renice", target =>
    {
        string? answer = Ask($"Niceness for {target.Id}, -20 to 19 [{Find(target.Id)?.Nice}]:");
        if (answer is null or "")
        {
            return null;
        }

        if (!int.TryParse(answer, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int nice) || nice is < -20 or > 19)
        {
            _message = $"{ForeignText.Clean(answer)} is not a valid niceness: -20 to 19.";
            return null;
        }

        return (
            $"Set niceness {nice} for",
            () => target.SetNice(nice) ?? $"The niceness of {target.Id} is now {nice}.");
    });

    private void Change(string purpose, Func<LinuxProcess, (string Question, Func<string> Do)?> ask)
    {
        if (settings.IsSecure)
        {
            _message = "Disabled by --secure.";
            return;
        }

        if (AskProcess(purpose) is not { } row)
        {
            return;
        }

        if (!LinuxProcess.TryOpen(row.Process.Id, row.Process.StartNanoseconds, out LinuxProcess? target, out var failure))
        {
            _message = ForeignText.Clean(failure.Message);
            return;
        }

        using (target)
        {
            if (ask(target) is var (question, change))
            {
                _message = Confirm($"{question} {Describe(row)}?") && ConfirmAgain(target.Id, question)
                    ? ForeignText.Clean(change())
                    : "Canceled.";
            }
        }
    }

    // Asks again if the termination of the process, or a lack of CPU time, would also affect other processes.
    private bool ConfirmAgain(int id, string question) =>
        id == FirstProcess ? Confirm($"{id} is the init process, on which all others depend. {question} it anyway?")
        : id != Environment.ProcessId || Confirm($"{id} is picollo itself. {question} it anyway?");

    private string Describe(in TopRow row)
    {
        string[]? words = model.Sample.CommandLineOf(row.Process.Id);
        StringBuilder text = new();
        text.Append(CultureInfo.InvariantCulture, $"{row.Process.Id} (");
        CellText.AppendFitting(
            text, ForeignText.Clean(words is { Length: > 0 } ? string.Join(' ', words) : row.Process.Name), MaxCommandWidth);
        return text.Append(") of user ").Append(ForeignText.Clean(row.User)).ToString();
    }
}
