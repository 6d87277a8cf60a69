namespace Picollo.Profiling.Tests.Output;

/// <summary>Differences to draw.</summary>
internal static class SomeDifferences
{
    /// <summary>A web application before and after a change of its search and its sending. One function has disappeared, one is
    /// new.</summary>
    public static CpuProfileDifference Typical()
    {
        CpuProfile before = SomeProfiles.Typical();
        List<(CpuProfileFrame[], long)> stacks = [];
        foreach ((IReadOnlyList<CpuProfileFrame> stack, long count) in before.Data.GetStacks())
        {
            bool isSearch = stack.Any(frame => frame.Name == "Shop.Search.Query.Parse");
            if (!stack.Any(frame => frame.Name == "ip_output"))
            {
                stacks.Add(([.. stack], isSearch ? count * 3 : count + (count / 11)));
            }
        }

        stacks.Add(([SomeProfiles.Managed("Shop.Search.Cache.TryGet", "Shop.dll")], 170));
        return new CpuProfileDifference(before, SomeProfiles.Of("Shop.Web (process 815)", stacks));
    }

    public static CpuProfileDifference Hostile() => new(SomeProfiles.Hostile(), SomeProfiles.Of(
        SomeProfiles.HostileName,
        [
            ([SomeProfiles.Managed(SomeProfiles.HostileName, SomeProfiles.HostileName), SomeProfiles.Managed(SomeProfiles.LongName, "Product.dll")], 600),
            ([SomeProfiles.Managed(SomeProfiles.LongName + "2", "Product.dll"), SomeProfiles.Native(new string('W', 5000), new string('m', 300))], 60),
        ]));

    /// <summary>Recursions of 1,000 frames, which differ from the 500th on.</summary>
    public static CpuProfileDifference Deep() => new(SomeProfiles.Deep(), SomeProfiles.Of(
        "deep", [([.. Enumerable.Range(0, 1000).Select(i => SomeProfiles.Managed($"Tree.Visit{(i < 500 ? i % 3 : 4)}", "App.dll"))], 99)]));

    /// <summary>An empty profile before the change.</summary>
    public static CpuProfileDifference New() => new(SomeProfiles.Empty(), SomeProfiles.Typical());

    /// <summary>An empty profile after the change.</summary>
    public static CpuProfileDifference Gone() => new(SomeProfiles.Typical(), SomeProfiles.Empty());

    public static CpuProfileDifference Empty() => new(SomeProfiles.Empty(), SomeProfiles.Empty());
}
