namespace Picollo.Cli.Top;

internal static class TopBatch
{
    /// <param name="width">The maximum length of a line; null for the width of the terminal, or for no limit if there is no terminal, so
    /// that programs read complete lines.</param>
    public static int Run(Terminal terminal, TopModel model, TopSettings settings, int? width)
    {
        int columns = width ?? Terminal.WindowColumns ?? int.MaxValue;
        TopPage page = new();
        bool isFirst = true;
        return Repeat(
            model,
            settings,
            reason => terminal.Error.WriteLine($"picollo: {reason}"),
            () =>
            {
                if (!isFirst)
                {
                    terminal.Out.WriteLine();
                }

                isFirst = false;
                foreach (ScreenLine line in page.Render(model.Sample, settings, columns))
                {
                    terminal.Out.WriteLine(line.Text);
                }

                terminal.Out.Flush();
            });
    }

    /// <summary>Shows samples at fixed intervals until the requested number is reached or the user interrupts.</summary>
    /// <param name="report">A callback that receives the reason for each unavailable item once.</param>
    public static int Repeat(TopModel model, TopSettings settings, Action<string> report, Action show)
    {
        using Interrupt interrupt = new();
        model.Update();
        foreach (string reason in model.UnavailableReasons)
        {
            report(reason);
        }

        show();
        long start = Stopwatch.GetTimestamp();
        TimeSpan next = settings.Delay;
        for (int done = 1; done != settings.Iterations; done++)
        {
            TimeSpan wait = next - Stopwatch.GetElapsedTime(start);
            if (interrupt.Token.WaitHandle.WaitOne(wait > TimeSpan.Zero ? wait : TimeSpan.Zero))
            {
                return interrupt.ExitCode ?? ExitCodes.Success;
            }

            model.Update();
            show();

            // Fixed intervals avoid cumulative delays. Missed samples are skipped.
            TimeSpan now = Stopwatch.GetElapsedTime(start);
            next = next + settings.Delay > now ? next + settings.Delay : now + settings.Delay;
        }

        return ExitCodes.Success;
    }
}
