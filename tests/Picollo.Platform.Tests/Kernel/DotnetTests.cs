namespace Picollo.Platform.Tests.Kernel;

/// <summary>Tests the findings of the .NET program in the guest, with any clock.</summary>
public abstract class DotnetContract(X64DotnetMachine machine)
{
    // The values of kernel.perf_event_paranoid, and the sessions of tests/HelperApp/Faults/Refusals.cs.
    private static readonly int[] Levels = [3, 2, 1, 0, -1];
    private static readonly string[] Asked = ["own-code", "kernel", "cpu", "other-user", "context-switches", "profile", "profile-kernel"];

    private protected GuestLog Log => machine.Log;

    /// <param name="check">The name of a check in tests/PerfGuestApp/Program.cs; "app" is its exit code.</param>
    [TheoryNeeding(Need.X64Machine)]
    [InlineData("app")]
    [InlineData("page-faults")]
    [InlineData("context-switches")]
    [InlineData("migrations")]
    [InlineData("task-clock")]
    [InlineData("tracefs-not-mounted")]
    [InlineData("tracepoint")]
    [InlineData("system-calls")]
    [InlineData("group")]
    [InlineData("process")]
    [InlineData("inherited")]
    [InlineData("cpu")]
    [InlineData("late-marked")]
    [InlineData("late-not-marked")]
    [InlineData("offline")]
    [InlineData("goes-offline")]
    [InlineData("switching")]
    [InlineData("refused")]
    [InlineData("descriptors")]
    public void The_check_passes(string check) => Log.ShouldHavePassed(check);

    [FactNeeding(Need.X64Machine)]
    public void The_thread_clocks_of_three_threads_follow_those_of_the_kernel()
    {
        // In real time, the host can stop an emulated processor within an interrupt for any time.
        const long furthest = 50_000_000;
        Log.Number("thread-clock-errors").Should().Be(0);
        Log.Number("thread-clock-furthest-nanoseconds").Should().BeLessThan(furthest);
    }

    [FactNeeding(Need.X64Machine)]
    public void Root_may_count_everything_and_a_user_with_the_capability_everything_below_level_3()
    {
        foreach (int level in Levels)
        {
            ShouldWork(level, "root", Asked);
            ShouldWork(level, "admin", Asked);
            ShouldWork(level, "perfmon", level <= 2 ? Asked : []);
        }
    }

    [FactNeeding(Need.X64Machine)]
    public void At_level_3_an_ordinary_user_may_count_nothing()
    {
        ShouldWork(3, "user", []);
        foreach (string what in (string[])[.. Asked, "no-cpu", "hardware"])
        {
            Log.Fact($"paranoid-3-user-{what}").Should().Contain("kernel.perf_event_paranoid is 3").And.Contain("sysctl kernel.perf_event_paranoid=2")
                .And.Contain("grant CAP_SYS_ADMIN");
        }

        Log.Fact("paranoid-3-user-clock").Should().Contain("kernel.perf_event_paranoid is 3");
        Log.Fact("paranoid-3-user-optional").Should().BeEmpty("all counters are left out");
    }

    [FactNeeding(Need.X64Machine)]
    public void At_level_2_an_ordinary_user_may_count_user_mode()
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
        Log.Fact("paranoid-2-user-clock").Should().Be(Log.Fact("paranoid-2-root-clock"), "the clock needs no more rights");
    }

    [FactNeeding(Need.X64Machine)]
    public void At_level_1_an_ordinary_user_may_count_the_kernel_too()
    {
        ShouldWork(1, "user", "own-code", "kernel", "context-switches", "profile", "profile-kernel");
        Log.Fact("paranoid-1-user-cpu").Should().Contain("(now 1) to 0 or less").And.Contain("sysctl kernel.perf_event_paranoid=0");
        Log.Fact("paranoid-1-user-optional").Should().Be("Software:PageFaults Software:ContextSwitches");
    }

    [FactNeeding(Need.X64Machine)]
    public void At_level_0_an_ordinary_user_may_count_processors_but_not_threads_of_other_users()
    {
        foreach (int level in (int[])[0, -1])
        {
            ShouldWork(level, "user", "own-code", "kernel", "context-switches", "cpu", "profile", "profile-kernel");
            Log.Fact($"paranoid-{level}-user-other-user").Should().Contain("another user's thread").And.Contain("grant CAP_PERFMON");
        }
    }

    [FactNeeding(Need.X64Machine)]
    public void Tracepoints_require_a_readable_tracefs()
    {
        const string remedy = "mount -o remount,mode=750,gid=… /sys/kernel/tracing";
        Log.Fact("tracepoint").Should().Contain("this user may not read it").And.Contain(remedy);
        Log.Fact("tracepoint-for-all").Should().Contain("this user may not read it").And.Contain(remedy);
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
    public void The_thread_clock_calls_the_kernel_only_to_resynchronize() =>
        Log.Number("thread-clock-system-calls").Should().BeInRange(0, Log.Number("thread-clock-resynchronizations"));
}

public sealed class X64DotnetWithoutUserTimeTests(X64DotnetWithoutUserTime machine)
    : DotnetContract(machine), IClassFixture<X64DotnetWithoutUserTime>
{
    [FactNeeding(Need.X64Machine)]
    public void The_thread_clock_calls_the_kernel_and_reports_the_reason()
    {
        Log.Fact("reads-in-user-space").Should().Be("False");
        Log.Fact("clock-reason").Should().Contain("cap_user_time is 0").And.Contain("tsc=reliable");
        Log.Number("thread-clock-furthest-nanoseconds").Should().Be(0);
        Log.Number("thread-clock-system-calls").Should().Be(Log.Number("thread-clock-readings"), "each reading is one system call");
    }
}
