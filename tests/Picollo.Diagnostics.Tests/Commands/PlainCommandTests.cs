using System.ComponentModel;
using Picollo.Interop.Linux;
using Picollo.PerfEvent;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests the fallback for systems without picollo_spawn.</summary>
public class PlainCommandTests
{
    private const string Why = "no such program here";

    private static CommandMeter Meter { get; } = Without(null);

    [Fact]
    public void The_reason_for_unavailable_values_is_returned() => Meter.UnavailableReason.Should().Be(Why);

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_command_has_its_time_but_not_its_size()
    {
        CommandRun run = Meter.Run(MeasuredCommand.FromText("sleep 0.1; exit 7"));

        run.ExitCode.Should().Be(7);
        run.Elapsed.Should().BeGreaterThan(TimeSpan.FromSeconds(0.1));
        run.Usage.Cpu.TotalNanoseconds.Should().BeGreaterThan(0);
        run.Usage.MaxResidentBytes.Should().Be(0, "all children share one maximum");
    }

    [FactNeeding(Need.Linux)]
    public void A_missing_program_is_not_found() => Meter.Invoking(meter => meter.Start("picollo-no-such-program"))
        .Should().Throw<Win32Exception>().WithMessage("picollo-no-such-program: No such file or directory").Which.NativeErrorCode.Should().Be(Errno.ENOENT);

    [FactNeeding(Need.Linux)]
    public void A_program_that_cannot_be_executed_is_a_different_error() => Meter.Invoking(meter => meter.Start("/etc/passwd"))
        .Should().Throw<Win32Exception>().WithMessage("/etc/passwd: Permission denied").Which.NativeErrorCode.Should().Be(Errno.EACCES);

    [FactNeeding(Need.Linux)]
    public void A_directory_is_not_a_program() => Meter.Invoking(meter => meter.Start("/usr"))
        .Should().Throw<Win32Exception>().WithMessage("/usr: Permission denied").Which.NativeErrorCode.Should().Be(Errno.EACCES);

    [FactNeeding(Need.Linux)]
    public void A_signal_after_disposal_does_nothing()
    {
        RunningCommand running = Meter.Start("true");
        running.Dispose();

        running.Invoking(command => command.SendSignal(15)).Should().NotThrow();
        running.Id.Should().BeGreaterThan(0);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_signal_reaches_the_command_and_disposing_kills_it()
    {
        using RunningCommand running = Meter.Start("sleep", "66");
        running.SendSignal(15);
        running.Wait().ExitCode.Should().Be(143);

        RunningCommand other = Meter.Start("sleep", "67");
        int id = other.Id;
        other.Dispose();
        SpinWait.SpinUntil(() => !Directory.Exists($"/proc/{id}"), TimeSpan.FromSeconds(30)).Should().BeTrue();
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public async Task Disposing_kills_a_command_that_is_being_awaited()
    {
        RunningCommand running = Meter.Start("sleep", "70");
        Task<CommandRun> waiting = running.WaitAsync();
        running.Dispose();

        (await waiting).ExitCode.Should().Be(137);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public async Task A_background_process_that_keeps_the_output_open_does_not_extend_the_run()
    {
        using RunningCommand running = Meter.Start(MeasuredCommand.FromText("sleep 71 & exit 3").WithOutputToError());

        (await running.WaitAsync().WaitAsync(TimeSpan.FromSeconds(30))).ExitCode.Should().Be(3);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Counters_are_unavailable()
    {
        PerfEventCounterSessionFactory counters = PerfEventCounterSession.Factory.WithPerfEvents("task-clock,cycles");

        CommandRun run = Without(counters.WithOptional()).Run("true");
        run.Counters.Should().BeEmpty();
        run.UnavailableCounters.Select(counter => (counter.Key, counter.Value.Message, counter.Value.Cause)).Should().Equal(
            ("task-clock", $"task-clock: {Why}", MeasurementUnavailableCause.NotSupported),
            ("cycles", $"cycles: {Why}", MeasurementUnavailableCause.NotSupported));
        Without(counters).Invoking(meter => meter.Run("true")).Should().Throw<MeasurementUnavailableException>().WithMessage($"task-clock: {Why}");
    }

    [FactNeeding(Need.Linux)]
    public void Intervals_without_counters_have_the_cause_of_the_first_counter()
    {
        CommandMeter meter = Without(PerfEventCounterSession.Factory.WithPerfEvents("task-clock").WithOptional());
        meter.Intervals = (TimeSpan.FromSeconds(1), (_, _) => { });

        meter.Invoking(each => each.Start("true")).Should().Throw<MeasurementUnavailableException>().WithMessage($"*task-clock: {Why}")
            .Which.Cause.Should().Be(MeasurementUnavailableCause.NotSupported);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Each_run_reads_the_input_file_from_its_start()
    {
        string input = Path.GetTempFileName();
        try
        {
            File.WriteAllText(input, new string('x', 1_000_000)); // more than a pipe holds
            CommandMeter meter = Without(null, input);

            foreach (string command in (string[])["[ $(wc -c) = 1000000 ]", "[ $(wc -c) = 1000000 ]", "exec <&-; sleep 0.01"])
            {
                meter.Run(MeasuredCommand.FromText(command)).ExitCode.Should().Be(0, command);
            }
        }
        finally
        {
            File.Delete(input);
        }
    }

    [FactNeeding(Need.Linux)]
    public void A_missing_input_file_is_reported() =>
        Without(null, "/nowhere/input").Invoking(meter => meter.Start("true")).Should().Throw<DirectoryNotFoundException>();

    private static CommandMeter Without(PerfEventCounterSessionFactory? counters, string? inputPath = null) =>
        new(counters, () => (null, new(Why, MeasurementUnavailableCause.NotSupported))) { InputPath = inputPath };
}
