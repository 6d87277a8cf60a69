using FsCheck;
using FsCheck.Fluent;

namespace Picollo.Profiling.Tests;

public class CpuProfileDifferenceTests
{
    [Fact]
    public void Functions_have_samples_and_shares_of_both_profiles_with_the_largest_change_first()
    {
        CpuProfileDifference difference = new(Profiles.Of("Main;Gone 30", "Main;Same 60", "Main 10"), Profiles.Of("Main;Same 120", "Main;New 50", "Main 30"));

        difference.GetMethods().Select(method => (method.Frame.Name, method.OwnValueBefore, method.OwnValueAfter, method.ValueBefore, method.ValueAfter))
            .Should().Equal(("Gone", 30, 0, 30, 0), ("New", 0, 50, 0, 50), ("Main", 10, 30, 100, 200), ("Same", 60, 120, 60, 120));
        CpuProfileMethodDifference main = difference.GetMethods()[2];
        (main.OwnShareBefore, main.OwnShareAfter, main.ShareBefore, main.ShareAfter, main.OwnShareChange).Should().Be((0.1, 0.15, 1, 1, 0.05));
        (difference.Before.SampleCount, difference.After.SampleCount).Should().Be((100, 200));
    }

    [Theory]
    [InlineData(0, 1000, 5, 1000, -0.0170, 1.0150)]
    [InlineData(10, 100, 30, 100, 8.8417, 30.3739)]
    [InlineData(0, 10, 0, 10, -22.1150, 22.1150)]
    [InlineData(1, 1, 0, 1, -100, 42.1057)]
    [InlineData(0, 1, 1, 1, -42.1057, 100)]
    [InlineData(10, 10, 10, 10, -22.1150, 22.1150)]
    public void The_confidence_interval_uses_the_method_of_Agresti_and_Caffo(long before, long allBefore, long after, long allAfter, double lower, double upper)
    {
        ShareChange change = ShareChange.Compute(new(before, after), new(allBefore, allAfter), new(allBefore, allAfter));

        change.LowerPoints.Should().BeApproximately(lower, 0.001);
        change.UpperPoints.Should().BeApproximately(upper, 0.001);
        change.MayBeRandom.Should().Be(lower < 0);
    }

    [Fact]
    public void Shares_of_a_profile_without_samples_are_0_and_each_change_is_within_chance()
    {
        CpuProfileMethodDifference only = new CpuProfileDifference(Profiles.Of(), Profiles.Of("Main 10")).GetMethods().Should().ContainSingle().Subject;

        (only.OwnShareBefore, only.OwnShareAfter, only.OwnShareChange).Should().Be((0, 1, 1));
        (only.OwnShareChangeLower, only.OwnShareChangeUpper, only.MayBeRandom).Should().Be((-1, 1, true));
        new CpuProfileDifference(Profiles.Of(), Profiles.Of()).GetMethods().Should().BeEmpty();
    }

    [Fact]
    public void A_reversed_difference_has_opposite_changes() => Prop.ForAll<int>(seed =>
    {
        Random random = new(seed);
        CpuProfile a = Profiles.Random(random), b = random.Next(4) == 0 ? a : Profiles.Random(random);
        Dictionary<CpuProfileFrame, CpuProfileMethodDifference> there = new CpuProfileDifference(a, b).GetMethods().ToDictionary(method => method.Frame);
        foreach (CpuProfileMethodDifference back in new CpuProfileDifference(b, a).GetMethods())
        {
            CpuProfileMethodDifference one = there[back.Frame];
            one.OwnShareChange.Should().BeApproximately(-back.OwnShareChange, 1e-11);
            one.OwnShareChangeLower.Should().BeApproximately(-back.OwnShareChangeUpper, 1e-11);
            one.MayBeRandom.Should().Be(back.MayBeRandom);
            one.OwnShareChange.Should().BeInRange(-1, 1);
            (a == b && (!one.MayBeRandom || one.OwnShareChange != 0)).Should().BeFalse("a profile does not differ from itself");
        }

        there.Values.Sum(method => method.OwnValueBefore).Should().Be(a.GetMethods().Sum(method => method.OwnValue));
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(50));

    [Fact]
    public void Groups_of_processes_are_compared_without_their_IDs()
    {
        CpuProfileDifference difference = new(OfProcesses(1, 2), OfProcesses(33, 44));

        difference.Data.Roots.Before.Children.Should().ContainSingle().Which.Frame.Name.Should().Be("app (process)");
        difference.Data.Roots.After.Children.Should().ContainSingle().Which.Frame.Should().Be(difference.Data.Roots.Before.Children[0].Frame);
        (difference.Data.Roots.Before.Value, difference.Data.Roots.Before.OwnValue).Should().Be((7, 1));

        static CpuProfile OfProcesses(params int[] ids) => Profiles.OfFrames(
            [.. ids.Select(id => (new[] { new CpuProfileFrame($"app (process {id})", "", CpuProfileFrameKind.Group), Profiles.Managed("Main") }, 3L)), ([], 1)]);
    }
}
