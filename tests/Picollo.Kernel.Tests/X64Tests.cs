namespace Picollo.Kernel.Tests;

public sealed class X64OneProcessorTests(X64OneProcessor machine) : IClassFixture<X64OneProcessor>
{
    [KernelFact("linux-x64")]
    public void Hardware_events_are_not_there_and_software_events_are() => machine.Log.ShouldHavePassed("no-pmu");

    [KernelFact("linux-x64")]
    public void The_threads_time_follows_its_clock() => machine.Log.ShouldHavePassed("thread-time");
}

public sealed class X64TwoProcessorsTests(X64TwoProcessors machine) : IClassFixture<X64TwoProcessors>
{
    [KernelFact("linux-x64")]
    public void The_time_of_each_of_three_threads_follows_its_clock() => machine.Log.ShouldHavePassed("thread-time-beside-others");
}

public sealed class X64WithoutUserTimeTests(X64WithoutUserTime machine) : IClassFixture<X64WithoutUserTime>
{
    [KernelFact("linux-x64")]
    public void A_counter_that_the_kernel_does_not_trust_gives_no_time() => machine.Log.ShouldHavePassed("no-thread-time");
}

public sealed class X64DotnetTests(X64Dotnet machine) : IClassFixture<X64Dotnet>
{
    [KernelFact("linux-x64", SharesRepository = true)]
    public void The_program_runs_to_its_end() => machine.Log.ShouldHavePassed("app");

    [KernelFact("linux-x64", SharesRepository = true)]
    public void The_thread_clock_reads_in_user_space() => machine.Log.Fact("reads-in-user-space").Should().Be("True");

    [KernelFact("linux-x64", SharesRepository = true)]
    public void The_thread_clocks_of_three_threads_go_with_the_kernels()
    {
        // In real time a processor of the emulator's may stand still within an interrupt, as long as the host likes.
        const long furthest = 50_000_000;
        machine.Log.Number("thread-clock-errors").Should().Be(0);
        machine.Log.Number("thread-clock-furthest-nanoseconds").Should().BeLessThan(furthest);
    }

    [KernelFact("linux-x64", SharesRepository = true)]
    public void A_session_of_software_counters_counts() => machine.Log.Number("page-faults").Should().BePositive();

    [KernelFact("linux-x64", SharesRepository = true)]
    public void There_are_no_hardware_counters_and_the_reason_is_given() =>
        machine.Log.Fact("hardware-problem").Should().Contain("PMU");
}

public sealed class X64DotnetWithoutUserTimeTests(X64DotnetWithoutUserTime machine) : IClassFixture<X64DotnetWithoutUserTime>
{
    [KernelFact("linux-x64", SharesRepository = true)]
    public void The_program_runs_to_its_end() => machine.Log.ShouldHavePassed("app");

    [KernelFact("linux-x64", SharesRepository = true)]
    public void The_thread_clock_asks_the_kernel_and_says_why()
    {
        machine.Log.Fact("reads-in-user-space").Should().Be("False");
        machine.Log.Fact("clock-problem").Should().Contain("cap_user_time is 0").And.Contain("tsc=reliable");
        machine.Log.Number("thread-clock-errors").Should().Be(0);
        machine.Log.Number("thread-clock-furthest-nanoseconds").Should().Be(0);
    }
}
