using System.Diagnostics;
using Picollo.Diagnostics.Linux;

namespace Picollo.Diagnostics.Tests;

public class SpawnProgramTests
{
    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Control_that_has_ended_before_the_start_ends_the_command_whose_group_is_not_there_yet()
    {
        string program = SpawnProgram.Current.Program!.Path.Replace("self", $"{Environment.ProcessId}", StringComparison.Ordinal);
        ProcessStartInfo start = new("/bin/sh", ["-c", "for i in 1 2 3 4 5; do timeout -s KILL 20 $0 0 1 s- /bin/true < /dev/null > /dev/null; echo $?; done", program])
        {
            RedirectStandardOutput = true,
        };

        using Process shell = Process.Start(start)!;

        shell.StandardOutput.ReadToEnd().Should().Be("1\n1\n1\n1\n1\n", "137 would be the end by timeout(1)");
    }
}
