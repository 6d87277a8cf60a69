using System.Diagnostics;
using Picollo.Diagnostics.Commands.Linux;

namespace Picollo.Diagnostics.Tests;

public class SpawnProgramTests
{
    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_closed_control_pipe_ends_the_command_before_its_group_exists()
    {
        string program = SpawnProgram.Current.Program!.Path.Replace("self", $"{Environment.ProcessId}", StringComparison.Ordinal);
        ProcessStartInfo start = new("/bin/sh", ["-c", "for i in 1 2 3 4 5; do timeout -s KILL 20 $0 0 1 s- /bin/true < /dev/null > /dev/null; echo $?; done", program])
        {
            RedirectStandardOutput = true,
        };

        using Process shell = Process.Start(start)!;

        shell.StandardOutput.ReadToEnd().Should().Be("1\n1\n1\n1\n1\n", "137 would mean that timeout(1) killed it");
    }
}
