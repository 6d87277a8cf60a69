using System.Diagnostics;
using Picollo.Cli.Shell;
using Picollo.Cli.Top;

namespace Picollo.Cli.Tests.Top;

/// <summary>Samples of this machine.</summary>
public class TopModelTests
{
    private const long StringOverhead = 30;

    /// <summary>The allocation of the header lines, which are concatenated.</summary>
    private const long MostBeyondText = 10_000;

    [FactNeeding(Need.Linux)]
    public void A_sample_has_processes_with_their_users()
    {
        using TopModel model = new(new TopSettings());

        model.Update();

        TopRow me = model.Sample.Processes.Single(row => row.Id == Environment.ProcessId);
        (me.User, model.Sample.OwnId).Should().Be((Environment.UserName, Environment.ProcessId));
        me.Process.ResidentBytes.Should().BeGreaterThan(1 << 20);
        model.UnavailableReasons.Should().BeEmpty();
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_page_allocates_little_more_than_its_lines()
    {
        TopSettings settings = new();
        using TopModel model = new(settings);
        TopPage page = new();
        model.Update();

        // Code that is not optimized yet boxes formatted values.
        long beyondText = long.MaxValue;
        for (long start = Stopwatch.GetTimestamp(); beyondText >= MostBeyondText && Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(60); Thread.Sleep(20))
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            model.Update();
            IReadOnlyList<ScreenLine> lines = page.Render(model.Sample, settings, int.MaxValue);
            beyondText = GC.GetAllocatedBytesForCurrentThread() - before - lines.Sum(line => (line.Text.Length * sizeof(char)) + StringOverhead);
        }

        beyondText.Should().BeLessThan(MostBeyondText);
    }

    [FactNeeding(Need.Linux)]
    public void Threads_are_read_on_request_and_the_history_is_kept()
    {
        TopSettings settings = new();
        using TopModel model = new(settings);
        long start = Stopwatch.GetTimestamp();
        model.Update();
        model.Sample.Threads.Should().BeEmpty();

        settings.ShowThreads = true;
        model.Update();

        model.Sample.Interval.Should().BeLessThanOrEqualTo(Stopwatch.GetElapsedTime(start), "it starts with the first sample");
        List<TopRow> mine = model.Sample.Threads.FindAll(row => row.Process.Id == Environment.ProcessId);
        mine.Count.Should().BeGreaterThan(3);
        mine.Should().Contain(row => row.Id == Environment.ProcessId).And.OnlyContain(row => row.Thread!.Value.Share != null && row.User == Environment.UserName);
        model.History.GetShares(Environment.ProcessId)!.Value.Seen.Should().BeGreaterThan(model.Sample.Interval);
    }

    [FactNeeding(Need.Linux)]
    public void Missing_processes_are_an_error_only_in_the_first_sample()
    {
        TopSettings settings = new() { Pids = [int.MaxValue] };
        using TopModel model = new(settings);

        FluentActions.Invoking(model.Update).Should().Throw<CommandException>().WithMessage("no such process: 2147483647");
        FluentActions.Invoking(model.Update).Should().NotThrow();
    }
}
