using Picollo.Samples.CpuWorker;
using Picollo.Scheduling;

namespace Picollo.Samples.Tests.CpuWorker;

public sealed class DemoOptionsTests
{
    [Theory]
    [InlineData(null, null, null, false)]
    [InlineData(1, 1, 0, false)]
    [InlineData(1024, 10000, 65535, true)]
    public void Options_are_parsed_from_the_command_line_that_they_produce(int? workers, int? slice, int? port, bool endsWithInput)
    {
        DemoOptions options = new(workers, slice, port, endsWithInput);

        DemoOptions.TryParse(options.ToArguments(), out DemoOptions parsed, out _).Should().BeTrue();

        parsed.Should().Be(options);
        CpuWorkerPoolOptions defaults = new();
        CpuWorkerPoolOptions pool = options.ToPoolOptions(); // which accepts these limits
        (pool.WorkerCount, pool.TimeSlice).Should().Be((workers ?? defaults.WorkerCount, slice is { } limit ? TimeSpan.FromMilliseconds(limit) : defaults.TimeSlice));
    }

    [Theory]
    [InlineData("--workers", "--workers requires an integer from 1 to 1024")]
    [InlineData("--workers 1025", "--workers requires an integer from 1 to 1024")]
    [InlineData("--slice 1.5", "--slice requires an integer from 1 to 10000")]
    [InlineData("--serve 65536", "--serve requires an integer from 0 to 65535")]
    [InlineData("--workers 2 --threads 3", "unknown option '--threads'")]
    public void An_invalid_command_line_has_a_reason(string line, string expected)
    {
        DemoOptions.TryParse(line.Split(' '), out _, out string? reason).Should().BeFalse();

        reason.Should().Be(expected);
    }
}
