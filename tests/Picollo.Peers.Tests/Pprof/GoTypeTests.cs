using System.Globalization;
using System.Text.RegularExpressions;
using Picollo.Profiling;
using Picollo.Profiling.Tests;
using Picollo.Profiling.Tests.Output;

namespace Picollo.Peers.Tests.Pprof;

/// <summary>Tests that profiles of other tools have the numbers that <c>go tool pprof -top</c> prints.</summary>
[Trait("Category", "Slow")]
public partial class GoTypeTests
{
    private static readonly (string Type, string Unit)[] Types =
    [
        ("samples", "count"), ("cpu", "nanoseconds"), ("cpu", "microseconds"), ("wall", "milliseconds"), ("lock-time", "seconds"), ("cpu", "cycles"),
        ("contentions", "count"), ("delay", "ns"), ("alloc_space", "bytes"), ("inuse_space", "kilobytes"), ("goroutine", "count"),
    ];

    [FactNeeding(Need.Go)]
    public void Shares_are_those_of_go_tool_pprof() => Seeded.Run(25, random =>
    {
        ForeignProfile foreign = Random(random);

        string top = Top(foreign);

        CpuProfile profile = foreign.Read();
        if (!top.StartsWith("Type: samples\n", StringComparison.Ordinal)) // which has the type of its period here
        {
            top.Should().StartWith($"Type: {profile.SampleType}\n");
        }

        Dictionary<string, (double Own, double Total)> rows = top.Split('\n').SkipWhile(line => !line.Contains("flat%", StringComparison.Ordinal)).Skip(1)
            .Select(line => Row().Match(line)).Where(row => row.Success)
            .ToDictionary(row => row.Groups["name"].Value, row => (Percent(row, "own"), Percent(row, "total")));
        Dictionary<string, (double Own, double Total)> methods = profile.GetMethods().ToDictionary(
            method => method.Frame.Name, method => (100.0 * method.OwnValue / profile.Value, 100.0 * method.Value / profile.Value));
        methods.Keys.Should().BeEquivalentTo(rows.Keys, top);
        foreach ((string name, (double own, double total)) in rows)
        {
            methods[name].Own.Should().BeApproximately(own, 0.02 + (own / 1000), $"of {name} in\n{top}");
            methods[name].Total.Should().BeApproximately(total, 0.02 + (total / 1000), $"of {name} in\n{top}");
        }

        static double Percent(Match row, string name) => double.Parse(row.Groups[name].Value, CultureInfo.InvariantCulture);
    });

    /// <summary>Returns a profile with random types, a default type or none, a period or none, labels, inlined functions, and patterns of dropped frames.</summary>
    private static ForeignProfile Random(Random random)
    {
        (string, string)[] types = [.. Enumerable.Range(0, random.Next(1, 5)).Select(_ => Types[random.Next(Types.Length)]).DistinctBy(type => type.Item1)];
        ForeignProfile profile = ForeignProfile.Of(9, types);
        (string period, string unit) = Types[random.Next(Types.Length)];
        profile.ValueType(11, period, unit);
        profile.Number(12, new ulong[] { 0, 1, 7, 10_000_000 }[random.Next(4)]);
        if (random.Next(2) == 0)
        {
            profile.TextNumber(14, types[random.Next(types.Length)].Item1);
        }

        if (random.Next(2) == 0)
        {
            profile.TextNumber(7, "F1|F2.*|std::.*");
            profile.TextNumber(8, random.Next(2) == 0 ? "" : "F2");
        }

        profile.Function(10, "std::vector(int)", "", "");
        profile.Function(11, "(anonymous namespace)::run(int)", "", "");
        for (ulong i = 10; i < 20; i++)
        {
            profile.Location(i, 0, i, [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => (ulong)random.Next(1, 12))]);
        }

        for (int i = random.Next(1, 60); i > 0; i--)
        {
            ulong[] stack = [.. Enumerable.Range(0, random.Next(1, 7)).Select(_ => (ulong)random.Next(1, 20))];
            ulong[] values = [.. types.Select(_ => (ulong)random.Next(random.Next(2) == 0 ? 10 : 1_000_000))];
            if (random.Next(2) == 0)
            {
                profile.LabeledSample(stack, values, "thread", (ulong)random.Next(3));
            }
            else
            {
                profile.Sample(stack, values);
            }
        }

        profile.Sample([3], [.. types.Select(_ => 1UL)]);
        return profile;
    }

    private static string Top(ForeignProfile profile) => GoPprofTests.RunPprof(
        profile.ToBytes(), "-top", "-nodefraction=0", "-edgefraction=0", "-nodecount=1000", "-symbolize=none");

    [GeneratedRegex(@"^ *[^ ]+ +(?<own>[\d.e-]+)% +[\d.]+% +[^ ]+ +(?<total>[\d.e-]+)%  (?<name>.*?)( \((partial-)?inline\))?$")]
    private static partial Regex Row();
}
