namespace Picollo.Tests.Conventions;

public class TypeConventionTests
{
    [Fact]
    public void Members_that_only_version_01_needs_are_hidden()
    {
        string[] files = Directory.GetFiles(Path.Combine(Repository.Root, "src"), "*.Version01.cs", SearchOption.AllDirectories);
        files.Should().HaveCountGreaterThan(10);
        foreach (string file in files)
        {
            string[] lines = File.ReadAllLines(file);
            lines.Count(line => line == "    [EditorBrowsable(EditorBrowsableState.Never)]").Should()
                .Be(lines.Count(line => line.StartsWith("    public ", StringComparison.Ordinal)), file).And.BePositive();
        }
    }
}
