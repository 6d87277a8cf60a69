using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;
using Picollo.PerfEvent;
using Picollo.Tests.PerfEvent;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests real commands with known results. <see cref="CommandSettingsTests"/> has the tests that also apply without
/// picollo_spawn.</summary>
[Trait("Category", "Slow")]
public sealed class CommandMeterTests : IDisposable
{
    private const long Mebibyte = 1 << 20;
    private const int Terminate = 15;

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-commands").FullName;

    private static CommandMeter Meter { get; } = new();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void A_meter_created_without_a_free_descriptor_measures_fully_when_one_is_free()
    {
        string[] line = Tool.HelperApp("meter-limit");
        using Process process = Process.Start(new ProcessStartInfo(line[0], line[1..]) { RedirectStandardOutput = true })!;
        string[] found = process.StandardOutput.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        process.WaitForExit();

        found.Should().HaveCount(4);
        found[0].Should().Contain("ulimit -n");
        found[1..].Should().Equal("cause=LimitReached", "then=", "run=True");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void A_small_command_does_not_inherit_the_size_or_the_events_of_this_process()
    {
        Meter.UnavailableReason.Should().BeNull();
        CommandRun run = Meter.Run("true");

        (run.ExitCode, run.TerminationSignal).Should().Be((0, null));
        run.Usage.MaxResidentBytes.Should().BeInRange(Mebibyte / 4, 20 * Mebibyte);
        ResourceUsage.GetByProcess().MaxResidentBytes.Should().BeGreaterThan(40 * Mebibyte, "otherwise, the test would prove nothing");
        run.Counters.Should().BeEmpty();
        run.Threads.Should().BeEmpty();

        // The command has waited for its release, which is one switch. execve makes another if it moves to an idle CPU (sched_exec).
        // Occasionally, there are more if a page of the program is read.
        Enumerable.Range(0, 10).Min(_ => Meter.Run("true").Usage.VoluntaryContextSwitches).Should().BeLessThanOrEqualTo(1);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Touched_memory_and_waiting_are_measured()
    {
        Meter.Run("dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=1", "status=none")
            .Usage.MaxResidentBytes.Should().BeInRange(200 * Mebibyte, 230 * Mebibyte);
        CommandRun run = Meter.Run("sleep", "0.2");
        run.Elapsed.Should().BeGreaterThan(TimeSpan.FromSeconds(0.2));
        run.Usage.Cpu.Total.Should().BeLessThan(run.Elapsed / 2);
        run.Usage.VoluntaryContextSwitches.Should().BeGreaterThan(0);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Signals_are_distinguished_from_exit_codes_and_are_not_ignored_or_blocked()
    {
        Shell("exit 7").Should().BeEquivalentTo(new { ExitCode = 7, TerminationSignal = (int?)null });
        Shell("kill -9 $$").Should().BeEquivalentTo(new { ExitCode = 137, TerminationSignal = 9 });
        Shell("exit 137").Should().BeEquivalentTo(new { ExitCode = 137, TerminationSignal = (int?)null });
        foreach (int signal in (int[])[1, 2, 3, 13, 15, 17]) // this process or the spawner may ignore them
        {
            Shell($"kill -{signal} $$; exit 3").TerminationSignal
                .Should().Be(signal == 17 ? null : signal, "SIGCHLD does not end a process");
        }

        Shell("[ \"$(sed -n 's/^SigBlk:[[:space:]]*//p' /proc/self/status)\" = 0000000000000000 ]").ExitCode.Should().Be(0, "no signal is blocked");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void A_command_has_only_the_inheritable_descriptors_of_this_process()
    {
        string[] list = ["/proc/self/fd", "-fprintf", $"{_folder}/open", "%f %l\\n"];
        Process.Start("find", list).WaitForExit();
        string[] passedOn = Listed();

        Meter.Run("find", list);

        Listed().Should().BeEquivalentTo(passedOn, "a process without a meter has these");

        // The descriptors that find itself opens refer to files and folders.
        string[] Listed() => [.. File.ReadAllLines($"{_folder}/open").Select(line => line.Split(' ', 2))
            .Where(words => int.TryParse(words[0], out int file) && file > 2).Select(words => words[1]).Where(IsPipeOrSimilar)];
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void A_script_without_an_interpreter_line_is_run_by_the_shell()
    {
        string script = Path.Combine(_folder, "script");
        Shell($"echo 'exit $1' > {script}; chmod u+x {script}");

        Meter.Run(script, "5").ExitCode.Should().Be(5);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Arguments_and_environment_are_passed_unchanged_and_output_can_be_redirected()
    {
        const string Odd = "ä 'b' \"c\" $d\n\\";
        Environment.SetEnvironmentVariable("PICOLLO_ODD", Odd);
        string there = Path.Combine(_folder, "arguments");
        Meter.Run("/bin/sh", "-c", "printf '%s|' \"$@\" \"$PICOLLO_ODD\" > \"$0\"", there, Odd, "", "x");
        File.ReadAllText(there).Should().Be($"{Odd}||x|{Odd}|");

        Meter.Run(MeasuredCommand.FromArguments("/bin/sh", "-c", $"a=$(readlink /proc/$$/fd/1); b=$(readlink /proc/$$/fd/2); echo $a > {there}; echo $b >> {there}").WithOutputToError());
        File.ReadAllLines(there).Should().HaveCount(2).And.Subject.Distinct().Should().ContainSingle("output goes to standard error");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void A_signal_reaches_a_program_and_all_processes_of_a_text_command()
    {
        using RunningCommand running = Meter.Start("/bin/sh", "-c", $"trap 'kill $!; exit 5' TERM; sleep 60 & : > {_folder}/ready; wait");
        WaitFor(() => File.Exists($"{_folder}/ready"));
        running.SendSignal(Terminate);
        running.Wait().ExitCode.Should().Be(5);
        running.SendSignal(Terminate);
        running.Wait().ExitCode.Should().Be(5, "the result of an ended command does not change");

        using RunningCommand text = StartText("sleep 61 & echo $! > id; : > started; wait");
        text.SendSignal(Terminate);
        text.Wait().TerminationSignal.Should().Be(Terminate);
        WaitFor(() => HasEnded(IdIn("id")));
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Processes_that_remain_are_killed_for_a_text_command_only()
    {
        Meter.Run(MeasuredCommand.FromText($"sleep 62 & echo $! > {_folder}/id")).ExitCode.Should().Be(0);
        WaitFor(() => HasEnded(IdIn("id")));

        CommandRun run = Meter.Run("/bin/sh", "-c", $"sleep 63 & echo $! > {_folder}/id");
        bool isLeft = !HasEnded(IdIn("id"));
        using Process left = Process.GetProcessById(IdIn("id"));
        left.Kill();
        isLeft.Should().BeTrue();
        run.Elapsed.Should().BeLessThan(TimeSpan.FromSeconds(60), "it is not awaited");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public async Task Disposing_kills_the_command_and_only_an_awaited_result_remains()
    {
        RunningCommand program = Meter.Start("sleep", "64"), awaited = Meter.Start("sleep", "69");
        RunningCommand text = StartText("sleep 65 & echo $! > id; : > started; wait");
        Task<CommandRun> waiting = awaited.WaitAsync();
        foreach (RunningCommand running in (RunningCommand[])[program, text, awaited])
        {
            running.Dispose();
            running.Dispose();
            WaitFor(() => HasEnded(running.Id));
        }

        WaitFor(() => HasEnded(IdIn("id")));
        waiting.IsCompleted.Should().BeTrue();
        ((await Record.ExceptionAsync(() => waiting)) is null or MeasurementUnavailableException)
            .Should().BeTrue("the report of its end may or may not arrive");
        program.Invoking(each => each.Wait()).Should().Throw<ObjectDisposedException>();
        await program.Invoking(each => each.WaitAsync()).Should().ThrowAsync<ObjectDisposedException>();

        RunningCommand ended = Meter.Start("true");
        CommandRun run = ended.Wait();
        ended.Dispose();
        ended.Wait().Should().BeSameAs(run);
        (await ended.WaitAsync()).Should().BeSameAs(run);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public async Task A_command_can_be_awaited_without_blocking_and_a_canceled_wait_does_not_end_it()
    {
        using RunningCommand running = Meter.Start(MeasuredCommand.FromText("sleep 0.1; exit 7"));
        CommandRun run = await running.WaitAsync().WaitAsync(TimeSpan.FromMinutes(1));
        run.ExitCode.Should().Be(7);
        running.Wait().Should().BeSameAs(run);
        (await running.WaitAsync()).Should().BeSameAs(run);

        using RunningCommand canceled = Meter.Start("sleep", "68");
        using CancellationTokenSource soon = new(TimeSpan.FromMilliseconds(50));
        await canceled.Invoking(each => each.WaitAsync(soon.Token)).Should().ThrowAsync<OperationCanceledException>();
        HasEnded(canceled.Id).Should().BeFalse();
        canceled.SendSignal(Terminate);
        canceled.Wait().TerminationSignal.Should().Be(Terminate);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Commands_can_run_concurrently()
    {
        CommandRun[] runs = [.. Enumerable.Range(0, 8).AsParallel().AsOrdered().WithDegreeOfParallelism(8).Select(i => Shell($"sleep 0.1; exit {i}"))];

        runs.Select(run => run.ExitCode).Should().Equal(0, 1, 2, 3, 4, 5, 6, 7);
    }

    [FactNeeding(Need.PerfEvents)]
    public void An_unavailable_counter_is_reported_if_optional_and_otherwise_throws()
    {
        PerfEventCounterSessionFactory counters = PerfEventCounterSession.Factory.WithPerfEvents("nosuch/event/,task-clock");

        new CommandMeter(counters.WithOptional()).Run("true")
            .UnavailableCounters.Should().ContainSingle().Which.Key.Should().Be("nosuch/event/");
        FluentActions.Invoking(() => new CommandMeter(counters).Run("/bin/sh", "-c", $": > {_folder}/ran"))
            .Should().Throw<MeasurementUnavailableException>().WithMessage("nosuch/event/: *");
        File.Exists($"{_folder}/ran").Should().BeFalse("the command was never released");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Invalid_requests_are_rejected()
    {
        FluentActions.Invoking(() => new CommandMeter { ThreadInterval = TimeSpan.FromTicks(9_999) }).Should().Throw<ArgumentOutOfRangeException>();
        FluentActions.Invoking(() => Meter.Start("true", [null!])).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => Meter.Start("")).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => Meter.Start("true", "a\0b")).Should().Throw<ArgumentException>();
        using RunningCommand running = Meter.Start("true", "a b");
        running.ToString().Should().Be("true 'a b'");
        foreach (int signal in (int[])[0, -1, 65, 256])
        {
            running.Invoking(command => command.SendSignal(signal)).Should().Throw<ArgumentOutOfRangeException>();
        }
    }

    [Fact]
    public void A_counter_of_a_command_starts_on_exec_and_is_inherited()
    {
        PerfEventSettings settings = CommandMeter.ForCommand(PerfEventCounterSession.Factory.WithCpu(3).WithPinned(true).Settings, 42);

        (settings.ThreadId, settings.Cpu, settings.ProcessId).Should().Be((42, -1, null));
        PerfEventOpener.Attributes(settings, new PerfEventDefinition(PerfTypeId.Software, 1), isLeader: true).Flags
            .Should().Be(PerfEventFlags.Disabled | PerfEventFlags.Inherit | PerfEventFlags.Pinned | PerfEventFlags.ExcludeKernel
                | PerfEventFlags.ExcludeHypervisor | PerfEventFlags.EnableOnExec);
    }

    private static bool IsPipeOrSimilar(string link) => link.StartsWith("pipe:", StringComparison.Ordinal)
        || link.StartsWith("anon_inode:", StringComparison.Ordinal) || link.StartsWith("/memfd:", StringComparison.Ordinal);

    private static CommandRun Shell(string script) => Meter.Run("/bin/sh", "-c", script);

    /// <summary>Starts a text in the folder, and waits until it has created the file started.</summary>
    private RunningCommand StartText(string text)
    {
        RunningCommand running = Meter.Start(MeasuredCommand.FromText($"cd {_folder}; {text}"));
        WaitFor(() => File.Exists($"{_folder}/started"));
        return running;
    }

    private int IdIn(string file) => int.Parse(File.ReadAllText(Path.Combine(_folder, file)), CultureInfo.InvariantCulture);

    // A process that was not yet awaited is a zombie.
    private static bool HasEnded(int id)
    {
        try
        {
            return File.ReadAllText($"/proc/{id}/stat").Contains(") Z ", StringComparison.Ordinal);
        }
        catch (IOException)
        {
            return true;
        }
    }

    private static void WaitFor(Func<bool> condition) =>
        SpinWait.SpinUntil(() => condition(), TimeSpan.FromSeconds(30)).Should().BeTrue("the condition should be true by now");
}
