namespace Picollo.Fuzz.Tests;

/// <summary>Runs each decoder and parser on its seeds, some mutated inputs and all previous findings. <c>./build.sh test fuzz 10m</c> runs
/// more.</summary>
public class FuzzTests
{
    public static TheoryData<string> Names => [.. FuzzTargets.All.Select(target => target.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Inputs_are_read_or_rejected_as_documented(string name)
    {
        FuzzTarget target = FuzzTargets.Named(name);
        IReadOnlyList<FuzzSeed> seeds = target.Seeds();
        HashSet<string> kinds = [];
        seeds.Should().NotBeEmpty();
        Array.ForEach([.. FuzzFiles.Of(target).Select(File.ReadAllBytes), .. seeds.Select(seed => seed.Bytes)], Read);

        kinds.Clear();
        var mutator = new Mutator(seeds, target.Longest);
        for (int seed = 0; seed < target.Count; seed++)
        {
            Read(mutator.Next(new Random(seed)).Bytes); // the same inputs in each run; runs with a duration use new ones
        }

        kinds.Count.Should().BeGreaterThan(1, "otherwise, the mutations change too much or too little");

        void Read(byte[] input)
        {
            FuzzOutcome outcome = target.Try(input);
            kinds.Add(outcome.Kind);
            if (outcome.Failure is { } failure)
            {
                throw new InvalidOperationException($"{failure.Message} The input was saved to {FuzzFiles.Keep(target, input)}.", failure);
            }
        }
    }
}
