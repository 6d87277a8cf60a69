using Picollo.Profiling;

namespace Picollo.Samples.WordCounting;

/// <summary>Profiles a program that counts words, and writes the profile as a page. The command line is <c>[page [seconds]]</c>.</summary>
public static class Program
{
    private const double DefaultSeconds = 5;

    public static async Task<int> Main(string[] arguments)
    {
        string page = arguments.ElementAtOrDefault(0) ?? "profile.html";
        if (!double.TryParse(arguments.ElementAtOrDefault(1) ?? $"{DefaultSeconds}", out double seconds) || seconds <= 0)
        {
            Console.Error.WriteLine("usage: Profiler [page [seconds]]");
            return 2;
        }

        if (!CpuProfiler.TryStart(new CpuProfilerOptions { Frequency = 999 }, out CpuProfiler? profiler, out MeasurementUnavailableException? failure))
        {
            Console.Error.WriteLine(failure.Message);
            return 1;
        }

        using (profiler)
        {
            Console.WriteLine($"{await WordCount.RunAsync(TimeSpan.FromSeconds(seconds)):N0} distinct words");
            CpuProfile profile = profiler.Stop();
            profile.WriteTable(Console.Out, limit: 15);
            using StreamWriter writer = new(page);
            profile.WriteHtml(writer);
        }

        Console.WriteLine($"\nOpen {page} in a browser.");
        return 0;
    }
}
