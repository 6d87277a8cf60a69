namespace Picollo.Package.Tests;

[Collection("package")]
public sealed class ConsumerTests(PackageFixture package)
{
    [Fact]
    public void A_fresh_project_uses_the_package()
    {
        using var consumer = new ConsumerProject(package);
        ShouldWorkThroughTheShim(consumer.BuildAndRun());
    }

    [Fact]
    public void A_trimmed_single_file_publish_uses_the_package()
    {
        using var consumer = new ConsumerProject(package);
        var output = consumer.PublishAndRun(
            "-p:PublishTrimmed=true", "-p:PublishSingleFile=true", "-p:PublishReadyToRun=true");

        ShouldWorkThroughTheShim(output);
        consumer.PublishedFiles.Should().NotContain("Picollo.dll", "it is inside the single file");
    }

    private static void ShouldWorkThroughTheShim(ConsumerOutput output)
    {
        output["cycle-counter"].Should().Be(Platform.HasInvariantCounter.ToString(), output["cycle-clock-status"]);
        output.Number("distinct-below-100-ns").Should().BeGreaterThan(1);
        output.ShouldShowThatScopesAndHistogramsWork();
        output.ShouldHaveTheTablesOfTheSample();
    }
}
