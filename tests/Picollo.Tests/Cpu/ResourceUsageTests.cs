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
        BlockInputOperations = 8,
        BlockOutputOperations = 300,
        VoluntaryContextSwitches = 1_000,
        InvoluntaryContextSwitches = 20,
    };

    private static readonly ResourceUsage Later = new()
    {
        Cpu = new CpuUsage(12_002_000, 346_000),
        MaxResidentBytes = (40 << 20) + (1 << 18),
        MinorPageFaults = 220,
        MajorPageFaults = 13,
        BlockInputOperations = 32,
        BlockOutputOperations = 316,
        VoluntaryContextSwitches = 1_051,
        InvoluntaryContextSwitches = 24,
    };

    [Fact]
    public void Subtraction_is_the_inverse_of_addition_except_for_the_high_water_mark() => Seeded.Run(200, random =>
    {
        (ResourceUsage one, ResourceUsage other, ResourceUsage third) = (Any(random), Any(random), Any(random));
        long largest = Math.Max(one.MaxResidentBytes, other.MaxResidentBytes);

        (one + other - other).Should().Be(one with { MaxResidentBytes = largest });
        (one - other + other).Should().Be(one with { MaxResidentBytes = largest });
        (one + other + third).Should().Be(one + (other + third));
        (one + default(ResourceUsage)).Should().Be(one);
    });

    [Fact]
    public void Text_contains_all_values_in_any_culture()
    {
        Cultures.RunInGerman(() =>
        {
            (Later - Earlier).ToString().Should().Be(
                "12.345 ms (user 12.001 ms, kernel 0.344 ms), at most 40.3 MiB resident, page faults 120 minor and 3 major, "
                + "block operations 24 input and 16 output, context switches 51 voluntary and 4 involuntary");
            (Earlier - Later).ToString().Should().EndWith("context switches -51 voluntary and -4 involuntary");
        });
    }

    private static ResourceUsage Any(Random random) => new()
    {
        Cpu = new CpuUsage(random.NextInt64(), random.NextInt64()),
        MaxResidentBytes = random.NextInt64(),
        MinorPageFaults = random.NextInt64(),
        MajorPageFaults = random.NextInt64(),
        BlockInputOperations = random.NextInt64(),
        BlockOutputOperations = random.NextInt64(),
        VoluntaryContextSwitches = random.NextInt64(),
        InvoluntaryContextSwitches = random.NextInt64(),
    };
}
