using System.Runtime.CompilerServices;
using Picollo;
using Picollo.Cpu;
using Picollo.Profiling;

namespace AotApp;

/// <summary>Takes a profile of this process.</summary>
internal static class Profile
{
    private static readonly TimeSpan Work = TimeSpan.FromMilliseconds(500);

    public static void Run()
    {
        if (!CpuProfiler.TryStart(new CpuProfilerOptions { Frequency = 999 }, out CpuProfiler? profiler, out MeasurementUnavailableException? failure))
        {
            Facts.Print("profile-unavailable", failure.Message);
            return;
        }

        using (profiler)
        {
            Spin();
            CpuProfile profile = profiler.Stop();
            CpuProfileMethod hottest = profile.GetMethods()[0];
            Facts.Print("profile-hottest", $"{hottest.Frame.Kind} {hottest.Frame.Name}");
            Facts.Print("profile-callers", string.Join(' ', PathTo(profile.Root, hottest.Frame)!.Where(name => name.Contains("Profile"))));
            Facts.Print("profile-notes", string.Join(' ', profile.Notes));
            using StringWriter page = new();
            profile.WriteHtml(page);
            using MemoryStream pprof = new();
            profile.WritePprof(pprof);
            pprof.Position = 0;
            Facts.Print("profile-page", page.ToString().Contains(hottest.Frame.Name));
            Facts.Print("profile-pprof", CpuProfile.ReadPprof(pprof).Value == profile.Value);
        }
    }

    private static IEnumerable<string>? PathTo(CpuProfileNode node, CpuProfileFrame frame) => node.Frame == frame
        ? [frame.Name]
        : node.Children.Select(child => PathTo(child, frame)).FirstOrDefault(path => path is not null)?.Prepend(node.Frame.Name);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Spin()
    {
        long start = CpuUsageReader.GetThreadTimeNanoseconds();
        ulong sum = 0;
        while (CpuUsageReader.GetThreadTimeNanoseconds() - start < Work.TotalNanoseconds)
        {
            sum = Mix(sum);
        }

        GC.KeepAlive(sum);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Mix(ulong sum)
    {
        for (ulong i = 0; i < 10_000; i++)
        {
            sum = (sum ^ i) * 0x9E3779B97F4A7C15;
        }

        return sum;
    }
}
