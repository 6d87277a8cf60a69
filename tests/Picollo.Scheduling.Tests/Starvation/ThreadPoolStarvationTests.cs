namespace Picollo.Scheduling.Tests.Starvation;

/// <summary>The problem, and that it is solved.</summary>
[Trait("Category", "Slow")]
public class ThreadPoolStarvationTests
{
    [Fact]
    public void Computations_on_the_thread_pool_keep_a_request_that_only_waits_from_its_answer() =>
        Run(Starving.OnThreadPool).Should().Be(Starving.NotAnswered);

    [Fact]
    public void Computations_on_cpu_workers_leave_it_alone() =>
        Run(Starving.OnCpuWorkers).Should().Be(Starving.Answered);

    private static string Run(string where) =>
        Tool.Dotnet(Repository.Root, "exec", typeof(Starving).Assembly.Location, where).Trim();
}
