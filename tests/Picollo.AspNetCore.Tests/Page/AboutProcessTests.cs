namespace Picollo.AspNetCore.Tests.Page;

public class AboutProcessTests
{
    [Fact]
    public void The_description_changes_once_per_minute()
    {
        DateTimeOffset start = DateTimeOffset.UtcNow.AddHours(5);
        string[] seconds = [.. Enumerable.Range(0, 60).Select(second => AboutProcess.At(start.AddSeconds(second)))];
        seconds.Distinct().Should().HaveCountLessThanOrEqualTo(2);
        seconds[0].Should().MatchRegex(@"^version \S+, running for [45] h( \d+ min)?, since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, on ");
    }
}
