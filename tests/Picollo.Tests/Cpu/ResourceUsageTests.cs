using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

public sealed class ResourceUsageTests
{
    private static readonly ResourceUsage Earlier = new()
    {
        Cpu = new CpuUsage(1_000, 2_000),
        MaxResidentBytes = 30 << 20,
        MinorPageFaults = 100,
        MajorPageFaults = 10,
        VoluntaryContextSwitches = 1_000,
        InvoluntaryContextSwitches = 20,
    };

    private static readonly ResourceUsage Later = new()
    {
        Cpu = new CpuUsage(12_002_000, 346_000),
        MaxResidentBytes = (40 << 20) + (1 << 18),
        MinorPageFaults = 220,
        MajorPageFaults = 13,
        VoluntaryContextSwitches = 1_051,
        InvoluntaryContextSwitches = 24,
    };

    [Fact]
    public void A_difference_is_of_the_counts_and_has_the_later_high_water_mark()
    {
        (Later - Earlier).Should().Be(new ResourceUsage
        {
            Cpu = new CpuUsage(12_001_000, 344_000),
            MaxResidentBytes = (40 << 20) + (1 << 18),
            MinorPageFaults = 120,
            MajorPageFaults = 3,
            VoluntaryContextSwitches = 51,
            InvoluntaryContextSwitches = 4,
        });
        (Earlier - Later).Should().Be(new ResourceUsage
        {
            Cpu = new CpuUsage(-12_001_000, -344_000),
            MaxResidentBytes = 30 << 20,
            MinorPageFaults = -120,
            MajorPageFaults = -3,
            VoluntaryContextSwitches = -51,
            InvoluntaryContextSwitches = -4,
        });
    }

    [Fact]
    public void Text_is_all_of_it_whatever_the_culture()
    {
        CultureInfo culture = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = ",", NegativeSign = "minus" } };
            (Later - Earlier).ToString().Should().Be(
                "12.345 ms (user 12.001 ms, kernel 0.344 ms), at most 40.3 MiB resident, page faults 120 minor and 3 major, "
                + "context switches 51 voluntary and 4 involuntary");
            (Earlier - Later).ToString().Should().EndWith("context switches -51 voluntary and -4 involuntary");
        }
        finally
        {
            CultureInfo.CurrentCulture = culture;
        }
    }
}
