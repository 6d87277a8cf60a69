namespace Picollo.Tests;

public class MeasurementUnavailableExceptionTests
{
    [Fact]
    public void The_inner_exception_is_kept()
    {
        IOException cause = new("no such file");

        MeasurementUnavailableException exception = new("The load average is unavailable: no such file.", cause);

        exception.Message.Should().Be("The load average is unavailable: no such file.");
        exception.InnerException.Should().BeSameAs(cause);
        exception.ErrorNumber.Should().BeNull();
    }
}
