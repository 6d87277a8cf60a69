namespace Picollo.AspNetCore.Tests.Requests;

public class GrpcStatusTests
{
    [Theory]
    [InlineData("0", "OK"), InlineData("00", "OK"), InlineData("13", "INTERNAL"), InlineData("16", "UNAUTHENTICATED")]
    [InlineData("17", "UNKNOWN"), InlineData("-1", "UNKNOWN"), InlineData("abc", "UNKNOWN"), InlineData("", "UNKNOWN")]
    [InlineData("1e1", "UNKNOWN"), InlineData("99999999999999999999", "UNKNOWN"), InlineData("0,13", "UNKNOWN"), InlineData(null, null)]
    public void A_status_is_read_from_a_header_or_a_trailer(string? text, string? name)
    {
        foreach (bool isTrailer in new[] { false, true })
        {
            DefaultHttpContext context = new();
            HeaderDictionary trailers = [];
            (isTrailer ? trailers : context.Response.Headers)["grpc-status"] = text;
            (GrpcStatus.Read(context, trailers)?.Name).Should().Be(name);
        }
    }

    [Theory]
    [InlineData("1H", 3600.0), InlineData("2M", 120.0), InlineData("3S", 3.0), InlineData("250m", 0.25), InlineData("99999999u", 99.999999)]
    [InlineData("5n", 5e-9), InlineData("0m", 0.0), InlineData("", null), InlineData("m", null), InlineData("5", null)]
    [InlineData("5x", null), InlineData("-5m", null), InlineData("+5m", null), InlineData("5 m", null), InlineData("1.5S", null)]
    [InlineData("999999999m", null)]
    public void Timeouts_have_at_most_eight_digits_and_a_unit(string text, double? seconds)
    {
        double? parsed = GrpcStatus.ParseTimeout(text);

        parsed.HasValue.Should().Be(seconds.HasValue);
        parsed.GetValueOrDefault().Should().BeApproximately(seconds.GetValueOrDefault(), 1e-9);
    }

    [Theory]
    [InlineData("1S", 0.89, false)]
    [InlineData("1S", 0.91, true)]
    [InlineData("1S", 2, true)]
    [InlineData("", 1000, false)]
    public void The_deadline_has_passed_if_a_call_has_taken_about_as_long(string timeout, double elapsed, bool hasPassed)
    {
        DefaultHttpContext context = new();
        context.Request.Headers["grpc-timeout"] = timeout;

        GrpcStatus.HasDeadlinePassed(context.Request, TimeSpan.FromSeconds(elapsed)).Should().Be(hasPassed);
    }
}
