using Picollo.AspNetCore.Page;

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

    [Theory]
    [InlineData(0, "0 s")]
    [InlineData(59, "59 s")]
    [InlineData(60, "1 min")]
    [InlineData(61, "1 min 1 s")]
    [InlineData(3 * 3600, "3 h")]
    [InlineData((3 * 3600) + (12 * 60) + 5, "3 h 12 min")]
    [InlineData(1234 * 86400, "1,234 d")]
    public void A_duration_is_shown_in_its_two_largest_units(int seconds, string text) =>
        Numbers.Duration(TimeSpan.FromSeconds(seconds)).Should().Be(text);
}
