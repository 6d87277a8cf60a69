using System.Diagnostics;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Top;

/// <summary>Page after page into a file, a pipe, or down a terminal.</summary>
internal static class TopBatch
{
    /// <summary>Writes pages of text.</summary>
    /// <param name="terminal">Where to.</param>
    /// <param name="model">What.</param>
    /// <param name="settings">Of it what, how often and how many.</param>
    /// <param name="width">How long lines may be; null for as wide as the terminal is, and without an end where there is none, as what a
    /// program reads is not cut.</param>
    /// <returns>The exit code.</returns>
    public static int Run(Terminal terminal, TopModel model, TopSettings settings, int? width)
    {
        int columns = width ?? WindowSize.Columns ?? int.MaxValue;
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
                foreach (TopLine line in page.Render(model.Sample, settings, columns))
                {
                    terminal.Out.WriteLine(line.Text);
                }

                terminal.Out.Flush();
            });
    }

    /// <summary>Shows samples, a delay apart, until there were enough or the user has.</summary>
    /// <param name="model">Takes them.</param>
    /// <param name="settings">How often and how many.</param>
    /// <param name="tell">Told once of each thing that cannot be seen.</param>
    /// <param name="show">Shows a sample.</param>
    /// <returns>The exit code.</returns>
    public static int Repeat(TopModel model, TopSettings settings, Action<string> tell, Action show)
    {
        using Interrupt interrupt = new();
        model.Update();
        foreach (string reason in model.UnavailableReasons)
        {
            tell(reason);
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

            // Each at its time, so that delays do not add up; what comes late is not caught up.
            TimeSpan now = Stopwatch.GetElapsedTime(start);
            next = next + settings.Delay > now ? next + settings.Delay : now + settings.Delay;
        }

        return ExitCodes.Success;
    }
}
