namespace Picollo.Diagnostics.Tests;

/// <summary>What holds on every system.</summary>
public class RunningProcessContractTests
{
    [Fact]
    public void No_process_is_held_that_no_sample_found()
    {
        RunningProcess.TryOpen(default, out RunningProcess? running, out string? reason).Should().BeFalse();
        running.Should().BeNull();
        reason.Should().NotBeNullOrWhiteSpace();
    }
}
