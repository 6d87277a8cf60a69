using System.Diagnostics;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Top;

/// <summary>Page after page, or sample after sample, into a file, a pipe, or down a terminal.</summary>
internal static class TopBatch
{
    /// <summary>Writes pages of text.</summary>
    public static int Run(Terminal terminal, TopModel model, TopSettings settings, int? width)
    {
        // What is read by a program is not cut.
        int columns = width ?? WindowSize.Columns ?? int.MaxValue;
        TopPage page = new();
        bool isFirst = true;
        return Repeat(terminal, model, settings, () =>
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
        });
    }

    /// <summary>Shows each sample, a delay apart, until there were enough or the user has.</summary>
    public static int Repeat(Terminal terminal, TopModel model, TopSettings settings, Action show)
    {
        using Interrupt interrupt = new();
        long start = 0;
        TimeSpan next = settings.Delay;
        for (int done = 0; ;)
        {
            model.Update();
            if (done == 0)
            {
                start = Stopwatch.GetTimestamp();
                foreach (string problem in model.Problems)
                {
                    terminal.Error.WriteLine($"picollo: {problem}");
                }
            }

            show();
            terminal.Out.Flush();
            if (++done == settings.Iterations)
            {
                return ExitCodes.Success;
            }

            TimeSpan wait = next - Stopwatch.GetElapsedTime(start);
            if (interrupt.Token.WaitHandle.WaitOne(wait > TimeSpan.Zero ? wait : TimeSpan.Zero))
            {
                return interrupt.ExitCode ?? ExitCodes.Success;
            }

            // Each at its time, so that delays do not add up; what comes late is not caught up.
            TimeSpan now = Stopwatch.GetElapsedTime(start);
            next = next + settings.Delay > now ? next + settings.Delay : now;
        }
    }
}
