namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class ConsumerTests(PackageFixture packages)
{
    [Fact]
    public void A_fresh_project_uses_the_packages()
    {
        using var consumer = new ConsumerProject(packages);
        ShouldWorkThroughTheShim(consumer.BuildAndRun());
    }

    [Fact]
    public void A_trimmed_single_file_publish_uses_the_packages()
    {
        using var consumer = new ConsumerProject(packages);
        var output = consumer.PublishAndRun(
            "-p:PublishTrimmed=true", "-p:PublishSingleFile=true", "-p:PublishReadyToRun=true");

        ShouldWorkThroughTheShim(output);
        consumer.PublishedFiles.Should().NotContain("Picollo.dll", "the assembly is inside the single file").And.NotContain("Picollo.Scheduling.dll");
    }

    private static void ShouldWorkThroughTheShim(ConsumerOutput output)
    {
        output["cycle-counter"].Should().Be(ThisMachine.HasInvariantCounter.ToString(), output["cycle-clock-status"]);
        output.Number("distinct-below-100-ns").Should().BeGreaterThan(1);
        output.ShouldShowThatScopesAndHistogramsWork();
        output.ShouldShowThatThePoolWorks();
        output.ShouldHaveTheTablesOfTheSample();
    }
}
