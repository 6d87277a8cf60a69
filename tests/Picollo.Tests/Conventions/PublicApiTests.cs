using Picollo.Metrics;

namespace Picollo.Tests.Conventions;

/// <summary>The public API changes only together with the listing beside this file, so that a review sees it.</summary>
public class PublicApiTests
{
    private const string Switch = "PICOLLO_APPROVE";
    private const string Approved = "PublicApi.approved.txt";

    [Fact]
    public void The_public_api_is_the_approved_one()
    {
        // Not from CallerFilePath, which is no path of this machine in a deterministic build.
        string path = Path.Combine(Repository.Root, "tests", "Picollo.Tests", "Conventions", Approved);
        string actual = PublicApiText.Print();
        if (Environment.GetEnvironmentVariable(Switch) == "1")
        {
            File.WriteAllText(path, actual);
        }

        string[] approved = File.ReadAllText(path).ReplaceLineEndings("\n").Split('\n');
        string difference = Difference(approved, actual.Split('\n'));

        difference.Should().BeEmpty("the public API should change deliberately; to approve it: "
            + $"{Switch}=1 dotnet test tests/Picollo.Tests -c Release --filter FullyQualifiedName~PublicApi");
    }

    // 112 to 114: OtlpExporter, its options and their OtlpTemporality push histograms to OpenTelemetry receivers.
    // 115: ActivityCpuUsage measures spans in any application, without ASP.NET Core and dependency injection.
    // 122: a profiler with its options; a profile, and what it consists of: nodes, functions with their kind, and the sums of each function.
    // 124: the difference of two profiles, and that of each function.
    // 125: the part of a profile that belongs to a route.
    [Fact]
    public void There_are_no_more_than_125_public_types() => PublicSurface.Types.Should().HaveCountLessThanOrEqualTo(125);

    [Fact]
    public void The_listing_has_what_the_compiler_adds_to_records() => PublicSurface.MembersOf(typeof(Percentile)).Select(member => member.Name)
        .Should().Contain(["Equals", "GetHashCode", "ToString", "op_Equality", "op_Inequality"]);

    [Fact]
    public void A_difference_names_the_type_and_what_was_added_and_removed()
    {
        string[] before = ["class A", "    int X", "    int Y", "", "class B", "    int X", ""];
        string[] after = ["class A", "    int X", "", "class B", "    int X", "    long Z", ""];

        Difference(before, after).Should().Be("\n- class A:     int Y\n+ class B:     long Z");
        Difference(before, before).Should().BeEmpty();
    }

    // Each line with its type's, so that members of the same name in different types are told apart.
    private static string Difference(string[] before, string[] after)
    {
        List<string> lost = [.. Qualified(before)];
        List<string> added = [.. Qualified(after)];
        lost.RemoveAll(line => added.Remove(line));
        return string.Concat(lost.Select(line => "\n- " + line).Concat(added.Select(line => "\n+ " + line)));
    }

    private static IEnumerable<string> Qualified(string[] lines)
    {
        string type = string.Empty;
        foreach (string line in lines.Where(line => line.Length > 0))
        {
            type = line.StartsWith(' ') ? type : line;
            yield return ReferenceEquals(type, line) ? line : $"{type}: {line}";
        }
    }
}
