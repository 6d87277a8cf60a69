using Picollo.PerfEvent;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests the fallback for systems without picollo_spawn. <see cref="CommandSettingsTests"/> has the tests that also apply with
/// it.</summary>
[Trait("Category", "Slow")]
public class PlainCommandTests
{
    private const string Why = "no such program here";

    private static CommandMeter Meter { get; } = Without(null);

    [FactNeeding(Need.Linux)]
    public void A_command_has_its_time_but_not_its_size()
    {
        Meter.UnavailableReason.Should().Be(Why);
        CommandRun run = Meter.Run(MeasuredCommand.FromText("sleep 0.1; exit 7"));

        run.ExitCode.Should().Be(7);
        run.Elapsed.Should().BeGreaterThan(TimeSpan.FromSeconds(0.1));
        run.Usage.Cpu.TotalNanoseconds.Should().BeGreaterThan(0);
        run.Usage.MaxResidentBytes.Should().Be(0, "all children share one maximum");
    }

    [FactNeeding(Need.Linux)]
    public async Task A_signal_reaches_the_command_and_disposing_kills_it()
    {
        using RunningCommand running = Meter.Start("sleep", "66");
        running.SendSignal(15);
        running.Wait().ExitCode.Should().Be(143);

        RunningCommand other = Meter.Start("sleep", "67");
        other.Dispose();
        other.Invoking(command => command.SendSignal(15)).Should().NotThrow();
        SpinWait.SpinUntil(() => !Directory.Exists($"/proc/{other.Id}"), TimeSpan.FromSeconds(30)).Should().BeTrue();

        RunningCommand awaited = Meter.Start("sleep", "70");
        Task<CommandRun> waiting = awaited.WaitAsync();
        awaited.Dispose();
        (await waiting).ExitCode.Should().Be(137);
    }

    [FactNeeding(Need.Linux)]
    public async Task A_background_process_that_keeps_the_output_open_does_not_extend_the_run()
    {
        using RunningCommand running = Meter.Start(MeasuredCommand.FromText("sleep 71 & exit 3").WithOutputToError());

        (await running.WaitAsync().WaitAsync(TimeSpan.FromSeconds(30))).ExitCode.Should().Be(3);
    }

    [FactNeeding(Need.Linux)]
    public void Counters_are_unavailable()
    {
        PerfEventCounterSessionFactory counters = PerfEventCounterSession.Factory.WithPerfEvents("task-clock,cycles");

        CommandRun run = Without(counters.WithOptional()).Run("true");
        run.Counters.Should().BeEmpty();
        run.UnavailableCounters.Select(counter => (counter.Key, counter.Value.Message, counter.Value.Cause)).Should().Equal(
            ("task-clock", $"task-clock: {Why}", MeasurementUnavailableCause.NotSupported),
            ("cycles", $"cycles: {Why}", MeasurementUnavailableCause.NotSupported));
        Without(counters).Invoking(meter => meter.Run("true")).Should().Throw<MeasurementUnavailableException>().WithMessage($"task-clock: {Why}");

        CommandMeter intervals = Without(counters.WithOptional());
        intervals.Intervals = (TimeSpan.FromSeconds(1), (_, _) => { });
        intervals.Invoking(each => each.Start("true")).Should().Throw<MeasurementUnavailableException>().WithMessage($"*task-clock: {Why}")
            .Which.Cause.Should().Be(MeasurementUnavailableCause.NotSupported);
    }

    private static CommandMeter Without(PerfEventCounterSessionFactory? counters) =>
        new(counters, () => (null, new(Why, MeasurementUnavailableCause.NotSupported)));
}
