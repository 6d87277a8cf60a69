using System.Runtime.Versioning;
using System.Text;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>A program that is started later must not inherit descriptors.</summary>
[UnsupportedOSPlatform("windows")]
public class DescriptorFlagTests
{
    [TheoryNeeding(Need.Linux)]
    [InlineData("/proc")]
    [InlineData("/proc/self/stat")]
    public void Files_are_closed_in_a_child(string path)
    {
        int file = LinuxFiles.Open(LibC.AT_FDCWD, Encoding.UTF8.GetBytes(path + '\0'));
        file.Should().BeGreaterThanOrEqualTo(0);
        string flags = File.ReadLines($"/proc/self/fdinfo/{file}").Single(line => line.StartsWith("flags:", StringComparison.Ordinal));
        LinuxFiles.Close(file);

        (Convert.ToInt32(flags["flags:".Length..].Trim(), 8) & LibC.O_CLOEXEC).Should().Be(LibC.O_CLOEXEC);
    }
}
