namespace Picollo.Fuzz.Tests;

/// <summary>Runs each decoder and parser on some mutated inputs and on all previous findings. <c>./build.sh test fuzz 10m</c> runs
/// more.</summary>
public class FuzzTests
{
    public static TheoryData<string> Names => [.. FuzzTargets.All.Select(target => target.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Mutated_inputs_are_read_or_rejected_as_documented(string name)
    {
        FuzzTarget target = FuzzTargets.Named(name);
        var mutator = new Mutator(target.Seeds(), target.Longest);
        HashSet<string> kinds = [];
        for (int seed = 0; seed < target.Count; seed++)
        {
            // The inputs are the same in each run. Runs with a duration use new inputs.
            byte[] input = mutator.Next(new Random(seed)).Bytes;
            FuzzOutcome outcome = target.Try(input);
            kinds.Add(outcome.Kind);
            if (outcome.Failure is { } failure)
            {
                throw new InvalidOperationException($"{failure.Message} The input was saved to {FuzzFiles.Keep(target, input)}.", failure);
            }
        }

        kinds.Count.Should().BeGreaterThan(1, "otherwise, the mutations change too much or too little");
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Seeds_are_read_as_documented(string name)
    {
        FuzzTarget target = FuzzTargets.Named(name);
        IReadOnlyList<FuzzSeed> seeds = target.Seeds();

        seeds.Should().NotBeEmpty();
        seeds.Select(seed => target.Try(seed.Bytes).Failure).Should().OnlyContain(failure => failure == null);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Previous_findings_are_read_or_rejected_as_documented(string name)
    {
        FuzzTarget target = FuzzTargets.Named(name);
        foreach (string file in FuzzFiles.Of(target))
        {
            target.Try(File.ReadAllBytes(file)).Failure.Should().BeNull(file);
        }
    }
}
