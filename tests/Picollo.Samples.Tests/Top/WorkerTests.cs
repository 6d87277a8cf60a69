using System.Diagnostics;
using Picollo.Samples.Top;

namespace Picollo.Samples.Tests.Top;

public sealed class WorkerTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(20);

    [Fact]
    public void Options_are_parsed_from_the_command_line_that_they_produce()
    {
        foreach (WorkerOptions options in (WorkerOptions[])[new(), new(8, -21), new(2, Nice: 0)])
        {
            WorkerOptions.TryParse(options.ToArguments(), out WorkerOptions parsed).Should().BeTrue();
            parsed.Should().Be(options);
        }

        foreach (string line in new[] { "worker", "single", "worker 1", "worker - -", "worker 0 -", "worker 1 101", "worker 1 x", "worker 1 - -" })
        {
            WorkerOptions.TryParse(line.Split(' '), out _).Should().BeFalse(line);
        }
    }

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
