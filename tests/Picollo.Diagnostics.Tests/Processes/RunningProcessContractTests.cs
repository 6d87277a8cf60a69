namespace Picollo.Diagnostics.Tests;

/// <summary>The behavior on every system.</summary>
public class RunningProcessContractTests
{
    [Fact]
    public void A_process_that_no_sample_found_is_not_opened()
    {
        RunningProcess.TryOpen(default, out RunningProcess? running, out string? reason).Should().BeFalse();
        running.Should().BeNull();
        reason.Should().NotBeNullOrWhiteSpace();
    }
}
