namespace Picollo.Scheduling.Tests.Starvation;

/// <summary>Demonstrates the starvation of the thread pool, and that CPU workers prevent it.</summary>
[Trait("Category", "Slow")]
public class ThreadPoolStarvationTests
{
    [Fact]
    public void Computations_on_the_thread_pool_delay_a_request_that_only_waits() =>
        Run(Starving.OnThreadPool).Should().Be(Starving.NotAnswered);

    [Fact]
    public void Computations_on_CPU_workers_do_not_delay_a_request_that_only_waits() =>
        Run(Starving.OnCpuWorkers).Should().Be(Starving.Answered);

    private static string Run(string where) =>
        Tool.Dotnet(Repository.Root, "exec", typeof(Starving).Assembly.Location, where).Trim();
}
