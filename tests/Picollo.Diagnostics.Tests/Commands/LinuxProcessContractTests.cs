using Picollo.Diagnostics.Commands.Linux;

namespace Picollo.Diagnostics.Tests;

/// <summary>The behavior on every system.</summary>
public class LinuxProcessContractTests
{
    [Fact]
    public void A_process_that_no_sample_found_is_not_opened()
    {
        LinuxProcess.TryOpen(0, startNanoseconds: 0, out LinuxProcess? running, out MeasurementUnavailableException? failure).Should().BeFalse();
        running.Should().BeNull();
        failure!.Message.Should().NotBeNullOrWhiteSpace();
    }
}
