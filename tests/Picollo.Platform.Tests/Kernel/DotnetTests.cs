namespace Picollo.Platform.Tests.Kernel;

/// <summary>What the .NET program finds out in the guest, whatever the clock is.</summary>
public abstract class DotnetContract(X64DotnetMachine machine)
{
    private const string Rid = "linux-x64";

    // kernel.perf_event_paranoid, and what tests/HelperApp/Faults/Refusals.cs asks for.
    private static readonly int[] Levels = [3, 2, 1, 0, -1];
    private static readonly string[] Asked = ["own-code", "kernel", "cpu", "other-user", "context-switches", "profile", "profile-kernel"];

    private protected GuestLog Log => machine.Log;

    [FactNeeding(Need.X64Machine)]
    public void The_program_runs_to_its_end() => Log.ShouldHavePassed("app");

    [FactNeeding(Need.X64Machine)]
    public void Page_faults_are_counted_exactly() => Log.ShouldHavePassed("page-faults");

    [FactNeeding(Need.X64Machine)]
    public void Context_switches_lie_within_those_that_proc_tells() => Log.ShouldHavePassed("context-switches");

    [FactNeeding(Need.X64Machine)]
    public void Each_move_to_another_processor_is_counted() => Log.ShouldHavePassed("migrations");

    [FactNeeding(Need.X64Machine)]
    public void The_task_clock_is_the_threads_time() => Log.ShouldHavePassed("task-clock");

    [FactNeeding(Need.X64Machine)]
    public void Without_tracefs_the_mount_is_named() => Log.ShouldHavePassed("tracefs-not-mounted");

    [FactNeeding(Need.X64Machine)]
    public void A_tracepoint_counts_each_passing() => Log.ShouldHavePassed("tracepoint");

    [FactNeeding(Need.X64Machine)]
    public void Each_call_of_a_system_call_is_counted_and_no_other() => Log.ShouldHavePassed("system-calls");

    [FactNeeding(Need.X64Machine)]
    public void A_group_is_read_in_one_call() => Log.ShouldHavePassed("group");

    [FactNeeding(Need.X64Machine)]
    public void Regions_nest_on_two_threads_at_once() => Log.ShouldHavePassed("regions");

    [FactNeeding(Need.X64Machine)]
    public void Regions_of_two_threads_are_recorded_in_one_session() => Log.ShouldHavePassed("regions-of-a-process");

    [FactNeeding(Need.X64Machine)]
    public void A_process_is_counted_with_threads_that_it_has_and_those_it_starts_later() => Log.ShouldHavePassed("process");

    [FactNeeding(Need.X64Machine)]
    public void Threads_started_later_are_counted_where_they_are_to_be() => Log.ShouldHavePassed("inherited");

    [FactNeeding(Need.X64Machine)]
    public void Another_thread_is_counted_alone() => Log.ShouldHavePassed("another-thread");

    [FactNeeding(Need.X64Machine)]
    public void A_processor_is_counted_alone() => Log.ShouldHavePassed("cpu");

    [FactNeeding(Need.X64Machine)]
    public void A_wake_up_that_is_too_late_is_marked_in_the_kernels_trace_and_stops_it() => Log.ShouldHavePassed("late-marked");

    [FactNeeding(Need.X64Machine)]
    public void Without_tracefs_it_is_told_that_there_is_no_mark() => Log.ShouldHavePassed("late-not-marked");

    [FactNeeding(Need.X64Machine)]
    public void A_processor_that_is_offline_is_not_listed_and_not_measured() => Log.ShouldHavePassed("offline");

    [FactNeeding(Need.X64Machine)]
    public void A_processor_that_goes_offline_ends_its_own_measurement_alone() => Log.ShouldHavePassed("goes-offline");

    [FactNeeding(Need.X64Machine)]
    public void A_session_is_switched_on_and_off() => Log.ShouldHavePassed("switching");

    [FactNeeding(Need.X64Machine)]
    public void A_reset_session_begins_at_zero() => Log.ShouldHavePassed("reset");

    [FactNeeding(Need.X64Machine)]
    public void There_are_no_hardware_counters_and_the_reason_is_given() => Log.ShouldHavePassed("refused");

    [FactNeeding(Need.X64Machine)]
    public void What_is_missing_is_left_out_and_named() => Log.ShouldHavePassed("optional");

    [FactNeeding(Need.X64Machine)]
    public void All_descriptors_are_closed() => Log.ShouldHavePassed("descriptors");

    [FactNeeding(Need.X64Machine)]
    public void The_thread_clocks_of_three_threads_go_with_the_kernels()
    {
        // In real time a processor of the emulator's may stand still within an interrupt, as long as the host likes.
        const long furthest = 50_000_000;
        Log.Number("thread-clock-errors").Should().Be(0);
        Log.Number("thread-clock-furthest-nanoseconds").Should().BeLessThan(furthest);
    }

    [FactNeeding(Need.X64Machine)]
    public void Root_counts_all_at_any_level()
    {
        foreach (int level in Levels)
        {
            ShouldWork(level, "root", Asked);
            ShouldWork(level, "admin", Asked);
        }
    }

    [FactNeeding(Need.X64Machine)]
    public void A_user_with_the_capability_counts_all_but_at_level_3()
    {
        foreach (int level in Levels)
        {
            ShouldWork(level, "perfmon", level <= 2 ? Asked : []);
        }
    }

    [FactNeeding(Need.X64Machine)]
    public void At_level_3_an_ordinary_user_counts_nothing()
    {
        ShouldWork(3, "user", []);
        foreach (string what in (string[])[.. Asked, "no-cpu", "hardware"])
        {
            Log.Fact($"paranoid-3-user-{what}").Should().Contain("kernel.perf_event_paranoid is 3").And.Contain("sysctl kernel.perf_event_paranoid=2")
                .And.Contain("grant CAP_SYS_ADMIN");
        }

        Log.Fact("paranoid-3-user-clock").Should().Contain("kernel.perf_event_paranoid is 3");
        Log.Fact("paranoid-3-user-optional").Should().BeEmpty("all is left out");
    }

    [FactNeeding(Need.X64Machine)]
    public void At_level_2_an_ordinary_user_counts_user_mode()
    {
        ShouldWork(2, "user", "own-code", "profile");
        foreach (string what in (string[])["kernel", "context-switches"])
        {
            Log.Fact($"paranoid-2-user-{what}").Should().Contain("(now 2) to 1 or less").And.Contain("sysctl kernel.perf_event_paranoid=1")
                .And.Contain("grant CAP_PERFMON");
        }

        Log.Fact("paranoid-2-user-kernel").Should().Contain("count user code only");
        Log.Fact("paranoid-2-user-cpu").Should().Contain("sysctl kernel.perf_event_paranoid=0").And.Contain("grant CAP_PERFMON");
        Log.Fact("paranoid-2-user-optional").Should().Be("Software:PageFaults");
        Log.Fact("paranoid-2-user-clock").Should().Be(Log.Fact("paranoid-2-root-clock"), "it needs no more");
    }

    [FactNeeding(Need.X64Machine)]
    public void At_level_1_an_ordinary_user_counts_the_kernel_too()
    {
        ShouldWork(1, "user", "own-code", "kernel", "context-switches", "profile", "profile-kernel");
        Log.Fact("paranoid-1-user-cpu").Should().Contain("(now 1) to 0 or less").And.Contain("sysctl kernel.perf_event_paranoid=0");
        Log.Fact("paranoid-1-user-optional").Should().Be("Software:PageFaults Software:ContextSwitches");
    }

    [FactNeeding(Need.X64Machine)]
    public void At_level_0_an_ordinary_user_counts_processors_but_no_other_users_threads()
    {
        foreach (int level in (int[])[0, -1])
        {
            ShouldWork(level, "user", "own-code", "kernel", "context-switches", "cpu", "profile", "profile-kernel");
            Log.Fact($"paranoid-{level}-user-other-user").Should().Contain("another user's thread").And.Contain("grant CAP_PERFMON");
        }
    }

    [FactNeeding(Need.X64Machine)]
    public void Tracepoints_are_for_whom_tracefs_is_readable()
    {
        const string remedy = "mount -o remount,mode=750,gid=… /sys/kernel/tracing";
        Log.Fact("tracepoint").Should().Contain("not by this user").And.Contain(remedy);
        Log.Fact("tracepoint-for-all").Should().Contain("this user may not see it").And.Contain(remedy);
        Log.Fact("tracepoint-for-the-group").Should().Be("works");
    }

    private void ShouldWork(int level, string user, params string[] works)
    {
        foreach (string what in Asked)
        {
            string outcome = Log.Fact($"paranoid-{level}-{user}-{what}");
            if (works.Contains(what))
            {
                outcome.Should().Be("works", "{0} may count {1} at level {2}", user, what, level);
            }
            else
            {
                outcome.Should().EndWith("(perf_event_open: EACCES)", "{0} may not count {1} at level {2}", user, what, level);
            }
        }
    }
}

public sealed class X64DotnetTests(X64Dotnet machine) : DotnetContract(machine), IClassFixture<X64Dotnet>
{
    [FactNeeding(Need.X64Machine)]
    public void The_thread_clock_reads_in_user_space()
    {
        Log.Fact("reads-in-user-space").Should().Be("True");
        Log.Fact("clock-reason").Should().BeEmpty();
    }

    [FactNeeding(Need.X64Machine)]
    public void The_thread_clock_calls_the_system_to_resynchronise_and_for_nothing_else() =>
        Log.Number("thread-clock-system-calls").Should().BeInRange(0, Log.Number("thread-clock-resynchronisations"));
}

public sealed class X64DotnetWithoutUserTimeTests(X64DotnetWithoutUserTime machine)
    : DotnetContract(machine), IClassFixture<X64DotnetWithoutUserTime>
{
    [FactNeeding(Need.X64Machine)]
    public void The_thread_clock_asks_the_kernel_and_says_why()
    {
        Log.Fact("reads-in-user-space").Should().Be("False");
        Log.Fact("clock-reason").Should().Contain("cap_user_time is 0").And.Contain("tsc=reliable");
        Log.Number("thread-clock-furthest-nanoseconds").Should().Be(0);
        Log.Number("thread-clock-system-calls").Should().Be(Log.Number("thread-clock-readings"), "each reading is one");
    }
}
