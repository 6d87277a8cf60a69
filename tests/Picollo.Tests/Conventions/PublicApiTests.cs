using System.Reflection;
using Picollo.Metrics;

namespace Picollo.Tests.Conventions;

/// <summary>The public API changes only together with the listing in this folder, so that reviewers see the change.</summary>
public class PublicApiTests
{
    private const string Switch = "PICOLLO_APPROVE";
    private const string Approved = "PublicApi.approved.txt";

    [Fact]
    public void The_public_API_equals_the_approved_one()
    {
        // CallerFilePath is not a path of this machine in a deterministic build.
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

    // Each type costs its users. A new one replaces another, or states here why the limit rises.
    [Fact]
    public void There_are_no_more_than_117_public_types() => PublicSurface.Types.Should().HaveCountLessThanOrEqualTo(117);

    [Fact]
    public void External_types_cannot_derive_from_a_histogram_or_a_factory() => PublicSurface.Types
        .Where(type => type.IsAssignableTo(typeof(ReadOnlyHdrHistogram)) || type.IsAssignableTo(typeof(HdrHistogramFactory)))
        .SelectMany(type => type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        .Should().OnlyContain(constructor => constructor.IsAssembly || constructor.IsFamilyAndAssembly);

    // Prefix each line with its type, to distinguish members of the same name in different types.
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
