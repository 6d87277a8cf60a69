using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Tests.Conventions;

/// <summary>Test runs use cultures that differ from the invariant culture, and the output of the library does not depend on them.</summary>
public class CultureTests
{
    [FactNeeding(Need.Cultures)]
    public void Records_print_the_same_in_every_culture()
    {
        Cultures.RunInGerman(() =>
        {
            new CpuPressure(0.5, 0.25, 0.125, TimeSpan.FromSeconds(1.5)).ToString().Should().Be(
                "CpuPressure { Average10Seconds = 0.5, Average60Seconds = 0.25, Average300Seconds = 0.125, Total = 00:00:01.5000000 }");
            new CgroupCpu { Version = 2, Path = "/", Limit = 1.5, UsageNanoseconds = 100, Share = 0.5, ThrottledPeriodCount = 3 }.ToString().Should().Be(
                "CgroupCpu { Version = 2, Path = /, Limit = 1.5, Usage = 00:00:00.0000001, Share = 0.5, Periods = , "
                + "ThrottledPeriods = 3, ThrottledTime =  }");
            new HdrHistogramUnit { Name = "ms", Ratio = 1.5 }.ToString().Should().Be("HdrHistogramUnit { Name = ms, Ratio = 1.5 }");
            new ProcessCpu { Name = "a", State = 'R', Nice = -5, Share = 0.5, WaitShare = 0.25 }.ToString().Should().Be(
                "ProcessCpu { Id = 0, Name = a, State = R, Nice = -5, Priority = , Share = 0.5, WaitShare = 0.25, VirtualBytes = , "
                + $"ResidentBytes = , SharedBytes = , UserId = , Usage = {default(CpuUsage)}, ThreadCount = , LastCpu =  }}");
            new ThreadCpu { Name = "a", Share = 0.5, WaitShare = 0.25, LastCpu = 1 }.ToString().Should().Be(
                "ThreadCpu { Id = 0, ProcessId = 0, Name = a, State = , Nice = , Priority = , Share = 0.5, WaitShare = 0.25, "
                + $"Usage = {default(CpuUsage)}, LastCpu = 1 }}");
        });
    }
}
