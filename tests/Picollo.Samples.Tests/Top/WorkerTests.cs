using System.Diagnostics;
using Picollo.Samples.Top;

namespace Picollo.Samples.Tests.Top;

public sealed class WorkerTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(20);

    [Theory]
    [InlineData(0, 5, 6)]
    [InlineData(1, 5, 7)]
    [InlineData(2, 5, 13)]
    [InlineData(3, 5, 253)]
    public void The_Ackermann_function_is_computed(int m, int n, int expected) => Ackermann.Compute(m, n).Should().Be(expected);

    [Fact]
    public void Options_are_parsed_from_the_command_line_that_they_produce()
    {
        foreach (WorkerOptions options in (WorkerOptions[])[new(), new(8, -21), new(2, Nice: 0)])
        {
            WorkerOptions.TryParse(options.ToArguments(), out WorkerOptions parsed).Should().BeTrue();
            parsed.Should().Be(options);
        }
    }

    [Theory]
    [InlineData("worker")]
    [InlineData("single")]
    [InlineData("worker 1")]
    [InlineData("worker - -")]
    [InlineData("worker 0 -")]
    [InlineData("worker 1 101")]
    [InlineData("worker 1 x")]
    [InlineData("worker 1 - -")]
    public void Other_command_lines_do_not_start_a_worker(string line) => WorkerOptions.TryParse(line.Split(' '), out _).Should().BeFalse();

    [Fact]
    [Trait("Category", "Slow")]
    public void A_worker_ends_when_its_input_is_closed()
    {
        string program = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";
        ProcessStartInfo start = new(program, ["exec", typeof(Worker).Assembly.Location, .. new WorkerOptions().ToArguments()])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        using Process worker = Process.Start(start)!;
        try
        {
            worker.StandardOutput.ReadLine().Should().Be(Worker.Ready);
            worker.StandardInput.WriteLine();
            worker.StandardInput.Flush();
            worker.StandardOutput.ReadLine().Should().Be(Worker.Computing);

            worker.StandardInput.Close();

            worker.WaitForExit(Timeout).Should().BeTrue("the input is also closed when the parent exits");
            worker.ExitCode.Should().Be(0);
        }
        finally
        {
            worker.Kill();
        }
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Disposing_ends_a_running_worker()
    {
        int id;
        using (WorkerProcess worker = new(new WorkerOptions()))
        {
            id = worker.Id;
            worker.Go();
            worker.HasExited.Should().BeFalse();
        }

        FluentActions.Invoking(() => Process.GetProcessById(id)).Should().Throw<ArgumentException>("it is not running");
    }
}
