using System.Diagnostics;

namespace Picollo.Cli.Top;

/// <summary>Writes pages one after the other.</summary>
internal static class TopBatch
{
    /// <summary>Writes pages of text.</summary>
    /// <param name="width">The largest length of lines; null for the width of the terminal, or no limit if there is none, so that programs
    /// read whole lines.</param>
    /// <returns>The exit code.</returns>
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

    /// <summary>Shows samples in an interval, until a number is reached or the user interrupts.</summary>
    /// <param name="report">Receives, once, each reason why something is not available.</param>
    /// <returns>The exit code.</returns>
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

            // In fixed intervals, so that delays do not add up; missed samples are not caught up.
            TimeSpan now = Stopwatch.GetElapsedTime(start);
            next = next + settings.Delay > now ? next + settings.Delay : now + settings.Delay;
        }

        return ExitCodes.Success;
    }
}
