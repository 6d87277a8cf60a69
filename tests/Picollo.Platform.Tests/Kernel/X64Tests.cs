namespace Picollo.Platform.Tests.Kernel;

public sealed class X64OneProcessorTests(X64OneProcessor machine) : IClassFixture<X64OneProcessor>
{
    [FactNeeding(Need.X64Machine)]
    public void Without_a_PMU_software_events_and_the_thread_time_are_available()
    {
        machine.Log.ShouldHavePassed("no-pmu");
        machine.Log.ShouldHavePassed("thread-time");
    }
}

public sealed class X64TwoProcessorsTests(X64TwoProcessors machine) : IClassFixture<X64TwoProcessors>
{
    [FactNeeding(Need.X64Machine)]
    public void The_thread_time_from_the_page_follows_the_clock_of_the_kernel_on_three_threads() => machine.Log.ShouldHavePassed("thread-time-with-others");
}

public sealed class X64WithoutUserTimeTests(X64WithoutUserTime machine) : IClassFixture<X64WithoutUserTime>
{
    [FactNeeding(Need.X64Machine)]
    public void A_counter_that_the_kernel_does_not_trust_returns_no_time() => machine.Log.ShouldHavePassed("no-thread-time");
}
