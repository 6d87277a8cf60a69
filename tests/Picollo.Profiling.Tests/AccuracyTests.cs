namespace Picollo.Profiling.Tests;

/// <summary>Compares the shares of the samples with the shares of CPU time that the profiled program measures.</summary>
[Trait("Category", "Slow")]
public class AccuracyTests(Xunit.Abstractions.ITestOutputHelper output)
{
    private const int Samples = 10_000;
    private const double Points = 0.03;

    [TheoryNeeding(Need.PerfEvents)]
    [InlineData(false)]
    [InlineData(true)] // an ordinary user samples threads instead of CPUs
    public void Every_kind_of_code_has_its_share_of_the_samples(bool asOrdinaryUser)
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled");

        CpuProfile profile = asOrdinaryUser ? AsUser.WithoutPerfMonitoring(Profile) : Profile();

        Dictionary<string, long> times = process.End();
        var methods = profile.GetMethods().Where(method => method.Frame.Name.StartsWith("Picollo.HelperApp.Profiled.", StringComparison.Ordinal))
            .ToDictionary(method => method.Frame.Name["Picollo.HelperApp.Profiled.".Length..], method => method.Value);
        Dictionary<string, long> samples = times.Keys.ToDictionary(name => name, name => name switch
        {
            "Generic" => methods["Generic<__Canon>.Work"],
            "Lambda" => methods["Lambda.lambda_0"],
            _ => methods[name],
        });
        double allTimes = times.Values.Sum();
        double allSamples = samples.Values.Sum();
        output.WriteLine(string.Join('\n', samples.Select(pair => $"{pair.Key} {pair.Value / allSamples:P2} {times[pair.Key] / allTimes:P2}")));
        profile.SampleCount.Should().BeGreaterThanOrEqualTo(Samples);
        profile.ShouldHaveNamesOutsideLibraries();
        samples.Should().AllSatisfy(pair => (pair.Value / allSamples).Should().BeApproximately(times[pair.Key] / allTimes, Points, pair.Key));

        CpuProfile Profile() => process.Profile(new CpuProfilerOptions { Frequency = 4999 }, Samples);
    }
}
