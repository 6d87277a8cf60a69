using System.Runtime.CompilerServices;
using Picollo.AspNetCore.Profiles;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Profiling;

namespace Picollo.AspNetCore.Tests.Profiles;

/// <summary>Methods with CPU work that tests find in profiles, and helpers that take these profiles.</summary>
internal static class ProfileWork
{
    private static ulong _sink;

    public static CpuProfiles ProfilesOf(PageServer server) => server.Application.Services.GetRequiredService<CpuProfiles>();

    /// <summary>Takes a profile while some work runs.</summary>
    /// <param name="server">A server with profiles, whose time provider is <paramref name="end"/>.</param>
    /// <param name="end">The object that ends the profile.</param>
    /// <param name="work">The work, which starts after the profile has started. The profile ends after the work.</param>
    public static async Task<CpuProfile> TakeAsync(PageServer server, ProfileEnd end, Func<Task> work)
    {
        Task<HttpResponseMessage> posting = PostAsync(server);
        await Eventually.IsTrueAsync(() => FlowRecorder.IsActive);
        await work();
        end.Fire();
        using HttpResponseMessage posted = await posting;
        return ProfilesOf(server).All[0].Profile;
    }

    public static async Task<HttpResponseMessage> PostAsync(PageServer server, string query = "", CancellationToken cancellation = default)
    {
        using HttpClient client = server.CreateClient(new HttpClientHandler { AllowAutoRedirect = false });
        return await client.PostAsync(new Uri("/picollo" + query, UriKind.Relative), null, cancellation);
    }

    public static async Task RequestAsync(PageServer server, string path, int times)
    {
        for (int i = 0; i < times; i++)
        {
            (await server.Client.GetStringAsync(path)).Should().Be("done");
        }
    }

    public static async Task<string> AnswerAsync(Action burn, int milliseconds)
    {
        await Task.Yield();
        for (int part = 0; part < 2; part++)
        {
            Burn(burn, milliseconds / 2.0);
            await Task.Delay(1);
        }

        return "done";
    }

    /// <summary>Uses CPU time on this thread.</summary>
    public static void Burn(Action burn, double milliseconds)
    {
        long start = CpuUsageReader.GetThreadTimeNanoseconds();
        while (CpuUsageReader.GetThreadTimeNanoseconds() - start < milliseconds * 1e6)
        {
            burn();
        }
    }

    public static long SamplesOf(CpuProfile profile, string method) =>
        profile.GetMethods().Where(each => each.Frame.Name.EndsWith($"{nameof(ProfileWork)}.{method}", StringComparison.Ordinal)).Sum(each => each.Value);

    /// <summary>Returns the name of the part that has all samples of a method. Checks that the parts have all samples of the profile.</summary>
    public static string PartOf(CpuProfile profile, string method)
    {
        IReadOnlyList<CpuProfile> parts = profile.SplitByRoute();
        parts.Sum(part => part.Value).Should().Be(profile.Value);
        CpuProfile own = parts.Should().ContainSingle(part => SamplesOf(part, method) > 0, method).Subject;
        SamplesOf(own, method).Should().Be(SamplesOf(profile, method));
        return $"{own.Label}";
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void BurnSixty() => Spin();

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void BurnForty() => Spin();

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void BurnHidden() => Spin();

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void BurnMore() => Spin();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Spin()
    {
        for (int i = 0; i < 20_000; i++)
        {
            _sink = (_sink * 6364136223846793005) + 1442695040888963407;
        }
    }
}
