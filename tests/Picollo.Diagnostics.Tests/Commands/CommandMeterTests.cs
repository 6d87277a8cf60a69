using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;
using Picollo.Interop.Linux;
using Picollo.PerfEvent;
using Picollo.Tests.PerfEvent;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests real commands with known results.</summary>
public sealed class CommandMeterTests : IDisposable
{
    private const long Mebibyte = 1 << 20;
    private const int Terminate = 15;

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-commands").FullName;

    private static CommandMeter Meter { get; } = new();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void All_values_are_available() => Meter.UnavailableReason.Should().BeNull();

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_meter_created_without_a_free_descriptor_measures_fully_when_one_is_free()
    {
        string[] line = Tool.HelperApp("meter-limit");
        using Process process = Process.Start(new ProcessStartInfo(line[0], line[1..]) { RedirectStandardOutput = true })!;
        string[] found = process.StandardOutput.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        process.WaitForExit();

        found.Should().HaveCount(3);
        found[0].Should().Contain("ulimit -n");
        found[1..].Should().Equal("then=", "run=True");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_small_command_does_not_inherit_the_size_of_this_process()
    {
        CommandRun run = Meter.Run("true");

        run.ExitCode.Should().Be(0);
        run.TerminationSignal.Should().BeNull();
        run.Usage.MaxResidentBytes.Should().BeInRange(Mebibyte / 4, 20 * Mebibyte);
        ResourceUsage.GetByProcess().MaxResidentBytes.Should().BeGreaterThan(40 * Mebibyte, "otherwise, the test would prove nothing");
        run.Counters.Should().BeEmpty();
        run.Threads.Should().BeEmpty();
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Touched_memory_is_measured() =>
        Meter.Run("dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=1", "status=none")
            .Usage.MaxResidentBytes.Should().BeInRange(200 * Mebibyte, 230 * Mebibyte);

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_waiting_command_takes_time_and_switches_but_no_CPU_time()
    {
        CommandRun run = Meter.Run("sleep", "0.2");

        run.Elapsed.Should().BeGreaterThan(TimeSpan.FromSeconds(0.2));
        run.Usage.Cpu.Total.Should().BeLessThan(run.Elapsed / 2);
        run.Usage.VoluntaryContextSwitches.Should().BeGreaterThan(0);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Events_before_the_first_instruction_of_the_command_are_not_counted()
    {
        // The command has waited for its release, which is one switch. execve makes another if it moves to an idle CPU (sched_exec).
        // Occasionally, there are more if a page of the program is read.
        Enumerable.Range(0, 10).Min(_ => Meter.Run("true").Usage.VoluntaryContextSwitches)
            .Should().BeLessThanOrEqualTo(1);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void The_exit_code_is_returned() => Shell("exit 7").Should().BeEquivalentTo(new { ExitCode = 7, TerminationSignal = (int?)null });

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_signal_is_distinguished_from_an_exit_code()
    {
        Shell("kill -9 $$").Should().BeEquivalentTo(new { ExitCode = 137, TerminationSignal = 9 });
        Shell("exit 137").Should().BeEquivalentTo(new { ExitCode = 137, TerminationSignal = (int?)null });
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Signals_that_this_process_or_the_spawner_ignores_are_not_ignored_by_the_command()
    {
        foreach (int signal in (int[])[1, 2, 3, 13, 15, 17])
        {
            int? expected = signal == 17 ? null : signal; // SIGCHLD does not end a process
            Shell($"kill -{signal} $$; exit 3").TerminationSignal.Should().Be(expected);
        }

        Shell("[ \"$(sed -n 's/^SigBlk:[[:space:]]*//p' /proc/self/status)\" = 0000000000000000 ]").ExitCode.Should().Be(0, "no signal is blocked");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_command_has_only_the_inheritable_descriptors_of_this_process()
    {
        const int CloseOnExec = 0x80000;
        List<string> passedOn = [];
        foreach (string file in Directory.EnumerateFiles("/proc/self/fdinfo").Where(file => int.Parse(Path.GetFileName(file), CultureInfo.InvariantCulture) > 2))
        {
            try
            {
                string flags = File.ReadLines(file).First(line => line.StartsWith("flags:", StringComparison.Ordinal))[6..].Trim();
                if ((Convert.ToInt32(flags, 8) & CloseOnExec) == 0)
                {
                    passedOn.Add(new FileInfo($"/proc/self/fd/{Path.GetFileName(file)}").LinkTarget!);
                }
            }
            catch (IOException)
            {
                // Another test has closed the descriptor.
            }
        }

        Meter.Run("find", "/proc/self/fd", "-fprintf", $"{_folder}/open", "%f %l\\n");

        // The descriptors that find itself opens refer to files and folders.
        File.ReadAllLines($"{_folder}/open").Select(line => line.Split(' ', 2)).Where(words => int.TryParse(words[0], out int file) && file > 2)
            .Select(words => words[1]).Where(IsPipeOrSimilar).Should().BeEquivalentTo(passedOn.Where(IsPipeOrSimilar));
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_missing_program_is_not_found()
    {
        foreach ((string name, int error, string message) in ((string, int, string)[])
        [
            ("picollo-no-such-program", Errno.ENOENT, "No such file or directory"),
            ($"{_folder}/none", Errno.ENOENT, "No such file or directory"),
            ("/etc/passwd/none", Errno.ENOTDIR, "Not a directory"),
        ])
        {
            FluentActions.Invoking(() => Meter.Run(name))
                .Should().Throw<Win32Exception>().WithMessage($"{name}: {message}").Which.NativeErrorCode.Should().Be(error, name);
        }
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_program_that_cannot_be_executed_is_a_different_error()
    {
        foreach (string name in (string[])["/etc/passwd", "/"])
        {
            FluentActions.Invoking(() => Meter.Run(name))
                .Should().Throw<Win32Exception>().WithMessage($"{name}: Permission denied").Which.NativeErrorCode.Should().Be(Errno.EACCES, name);
        }
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_script_without_an_interpreter_line_is_run_by_the_shell()
    {
        string script = Path.Combine(_folder, "script");
        Shell($"echo 'exit $1' > {script}; chmod u+x {script}");

        Meter.Run(script, "5").ExitCode.Should().Be(5);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Arguments_and_environment_are_passed_unchanged()
    {
        const string Odd = "ä 'b' \"c\" $d\n\\";
        Environment.SetEnvironmentVariable("PICOLLO_ODD", Odd);
        string there = Path.Combine(_folder, "arguments");

        Meter.Run("/bin/sh", "-c", "printf '%s|' \"$@\" \"$PICOLLO_ODD\" > \"$0\"", there, Odd, "", "x");

        File.ReadAllText(there).Should().Be($"{Odd}||x|{Odd}|");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Each_run_reads_the_input_file_from_its_start()
    {
        (string input, string seen) = ($"{_folder}/input", $"{_folder}/seen");
        File.WriteAllText(input, "a\nb\n");
        CommandMeter meter = new() { InputPath = input };

        meter.Run("/bin/sh", "-c", $"cat >> {seen}").ExitCode.Should().Be(0);
        meter.Run(MeasuredCommand.FromText($"cat >> {seen}")).ExitCode.Should().Be(0);

        File.ReadAllText(seen).Should().Be("a\nb\na\nb\n");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void An_input_file_that_cannot_be_read_is_reported_before_the_command_runs()
    {
        string[] command = ["-c", $": > {_folder}/ran"];
        FluentActions.Invoking(() => new CommandMeter { InputPath = $"{_folder}/none" }.Run("/bin/sh", command)).Should().Throw<FileNotFoundException>();
        FluentActions.Invoking(() => new CommandMeter { InputPath = _folder }.Run("/bin/sh", command)).Should().Throw<UnauthorizedAccessException>();
        File.Exists($"{_folder}/ran").Should().BeFalse();
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Output_can_be_redirected_to_standard_error()
    {
        string there = Path.Combine(_folder, "names");
        Meter.Run(MeasuredCommand.FromArguments("/bin/sh", "-c", $"a=$(readlink /proc/$$/fd/1); b=$(readlink /proc/$$/fd/2); echo $a > {there}; echo $b >> {there}").WithOutputToError());

        string[] names = File.ReadAllLines(there);
        names.Should().HaveCount(2);
        names[0].Should().Be(names[1]);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_signal_reaches_the_command()
    {
        using RunningCommand running = Meter.Start("/bin/sh", "-c", $"trap 'kill $!; exit 5' TERM; sleep 60 & : > {_folder}/ready; wait");
        WaitFor(() => File.Exists($"{_folder}/ready"));
        running.SendSignal(Terminate);

        running.Wait().ExitCode.Should().Be(5);
        running.SendSignal(Terminate);
        running.Wait().ExitCode.Should().Be(5, "the result of an ended command does not change");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_signal_reaches_all_processes_of_a_text_command()
    {
        using RunningCommand running = Meter.Start(MeasuredCommand.FromText($"sleep 61 & echo $! > {_folder}/id; : > {_folder}/ready; wait"));
        WaitFor(() => File.Exists($"{_folder}/ready"));
        running.SendSignal(Terminate);

        running.Wait().TerminationSignal.Should().Be(Terminate);
        WaitFor(() => HasEnded(IdIn("id")));
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Processes_that_a_text_command_leaves_running_are_killed()
    {
        Meter.Run(MeasuredCommand.FromText($"sleep 62 & echo $! > {_folder}/id")).ExitCode.Should().Be(0);

        WaitFor(() => HasEnded(IdIn("id")));
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Processes_that_a_program_leaves_running_are_neither_awaited_nor_killed()
    {
        CommandRun run = Meter.Run("/bin/sh", "-c", $"sleep 63 & echo $! > {_folder}/id");

        bool isLeft = !HasEnded(IdIn("id"));
        using Process left = Process.GetProcessById(IdIn("id"));
        left.Kill();
        isLeft.Should().BeTrue();
        run.Elapsed.Should().BeLessThan(TimeSpan.FromSeconds(60));
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Disposing_kills_the_command()
    {
        RunningCommand program = Meter.Start("sleep", "64");
        RunningCommand text = Meter.Start(MeasuredCommand.FromText($"sleep 65 & echo $! > {_folder}/id; : > {_folder}/ready; wait"));
        WaitFor(() => File.Exists($"{_folder}/ready"));

        program.Dispose();
        text.Dispose();

        foreach (int id in (int[])[program.Id, text.Id, IdIn("id")])
        {
            WaitFor(() => HasEnded(id));
        }
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public async Task A_command_can_be_awaited_without_blocking()
    {
        using RunningCommand running = Meter.Start(MeasuredCommand.FromText("sleep 0.1; exit 7"));

        Task<CommandRun> waiting = running.WaitAsync();
        CommandRun run = await waiting.WaitAsync(TimeSpan.FromMinutes(1));

        run.ExitCode.Should().Be(7);
        running.Wait().Should().BeSameAs(run);
        (await running.WaitAsync()).Should().BeSameAs(run);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public async Task A_canceled_wait_does_not_end_the_command()
    {
        using RunningCommand running = Meter.Start("sleep", "68");
        using CancellationTokenSource soon = new(TimeSpan.FromMilliseconds(50));

        await running.Invoking(each => each.WaitAsync(soon.Token)).Should().ThrowAsync<OperationCanceledException>();
        HasEnded(running.Id).Should().BeFalse();

        running.SendSignal(Terminate);
        running.Wait().TerminationSignal.Should().Be(Terminate);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public async Task Disposing_kills_a_command_that_is_being_awaited()
    {
        RunningCommand running = Meter.Start("sleep", "69");
        Task<CommandRun> waiting = running.WaitAsync();

        running.Dispose();

        waiting.IsCompleted.Should().BeTrue();
        WaitFor(() => HasEnded(running.Id));
        Exception? thrown = await Record.ExceptionAsync(() => waiting);
        (thrown is null or MeasurementUnavailableException).Should().BeTrue("the report of its end may or may not arrive");
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public async Task A_command_that_does_not_exist_fails_the_wait()
    {
        using RunningCommand running = Meter.Start("picollo-no-such-program");

        (await running.Invoking(each => each.WaitAsync()).Should().ThrowAsync<Win32Exception>()).Which.NativeErrorCode.Should().Be(Errno.ENOENT);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public async Task A_failed_wait_fails_again()
    {
        using RunningCommand running = Meter.Start("picollo-no-such-program");

        running.Invoking(each => each.Wait()).Should().Throw<Win32Exception>();
        running.Invoking(each => each.Wait()).Should().Throw<Win32Exception>().Which.NativeErrorCode.Should().Be(Errno.ENOENT);
        await running.Invoking(each => each.WaitAsync()).Should().ThrowAsync<Win32Exception>();
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public async Task After_disposal_only_an_awaited_result_is_available()
    {
        RunningCommand killed = Meter.Start("sleep", "70");
        killed.Dispose();
        killed.Dispose();
        killed.Invoking(each => each.Wait()).Should().Throw<ObjectDisposedException>();
        await killed.Invoking(each => each.WaitAsync()).Should().ThrowAsync<ObjectDisposedException>();

        RunningCommand ended = Meter.Start("true");
        CommandRun run = ended.Wait();
        ended.Dispose();
        ended.Wait().Should().BeSameAs(run);
        (await ended.WaitAsync()).Should().BeSameAs(run);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Commands_can_run_concurrently()
    {
        CommandRun[] runs = [.. Enumerable.Range(0, 8).AsParallel().AsOrdered().WithDegreeOfParallelism(8).Select(i => Shell($"sleep 0.1; exit {i}"))];

        runs.Select(run => run.ExitCode).Should().Equal(0, 1, 2, 3, 4, 5, 6, 7);
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void An_unavailable_counter_is_reported_if_optional_and_otherwise_throws()
    {
        PerfEventCounterSessionFactory counters = PerfEventCounterSession.Factory.WithPerfEvents("nosuch/event/,task-clock");

        new CommandMeter(counters.WithOptional()).Run("true")
            .UnavailableCounters.Should().ContainSingle().Which.Key.Should().Be("nosuch/event/");
        FluentActions.Invoking(() => new CommandMeter(counters).Run("/bin/sh", "-c", $": > {_folder}/ran"))
            .Should().Throw<MeasurementUnavailableException>().WithMessage("nosuch/event/: *");
        File.Exists($"{_folder}/ran").Should().BeFalse("the command was never released");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Invalid_requests_are_rejected()
    {
        FluentActions.Invoking(() => new CommandMeter { ThreadInterval = TimeSpan.FromTicks(9_999) }).Should().Throw<ArgumentOutOfRangeException>();
        FluentActions.Invoking(() => Meter.Run((string)null!)).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => Meter.Start("true", [null!])).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => Meter.Start("")).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => Meter.Start("true", "a\0b")).Should().Throw<ArgumentException>();
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void Signal_numbers_are_checked()
    {
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
