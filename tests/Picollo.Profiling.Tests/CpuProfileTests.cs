namespace Picollo.Profiling.Tests;

public class CpuProfileTests
{
    [Fact]
    public void A_sample_counts_for_its_function_and_its_callers()
    {
        CpuProfile profile = Profiles.Of("Main;Work 60", "Main;Rest 30", "Main 10");

        profile.SampleCount.Should().Be(100);
        profile.GetMethods().Should().Equal(
            new CpuProfileMethod(Profiles.Managed("Work"), 60, 60),
            new CpuProfileMethod(Profiles.Managed("Rest"), 30, 30),
            new CpuProfileMethod(Profiles.Managed("Main"), 10, 100));
    }

    [Fact]
    public void A_time_that_does_not_fit_is_the_largest_time() =>
        new ProfileData(Profiles.RootOf()) { Frequency = 1 }.TimeOf(long.MaxValue).Should().Be(TimeSpan.FromDays(10_000_000));

    [Fact]
    public void A_sample_in_a_recursion_counts_once()
    {
        CpuProfile profile = Profiles.Of("Main;Fib;Fib;Fib 4", "Main;Fib;Other;Fib 3");

        profile.GetMethods().Should().Contain(new CpuProfileMethod(Profiles.Managed("Fib"), 7, 7));
    }
}
