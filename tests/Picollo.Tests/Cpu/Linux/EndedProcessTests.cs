using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>A process that ends after its stat was read. Its stat is a pipe here, which is filled only after its folder is
/// removed.</summary>
[UnsupportedOSPlatform("windows")]
public sealed partial class EndedProcessTests : IDisposable
{
    private readonly CapturedRoot _root = new();

    public void Dispose() => _root.Dispose();

    [FactNeeding(Need.Linux)]
    public void A_process_that_ends_before_its_owner_is_read_is_listed_without_an_owner()
    {
        string folder = Path.Combine(_root.Folder, "proc/7"), stat = Path.Combine(folder, "stat");
        _root.Write("proc/1/stat", ProcTaskStatTests.Line("init"));
        Directory.CreateDirectory(folder);
        MakePipe(stat, 0x180).Should().Be(0);
        Thread ending = new(() =>
        {
            using FileStream pipe = new(stat, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0); // waits for the reader
            Directory.Move(folder, Path.Combine(_root.Folder, "ended"));
            pipe.Write(System.Text.Encoding.UTF8.GetBytes(ProcTaskStatTests.Line("ended")));
        });
        ending.Start();

        using SystemCpu cpu = _root.Open(SystemCpuParts.Processes | SystemCpuParts.Owners);
        ending.Join();

        cpu.Processes.Should().Contain(process => process.Id == 7 && process.UserId == null);
        cpu.GetUnavailableReason(SystemCpuParts.Owners).Should().BeNull();
    }

    [LibraryImport("libc", EntryPoint = "mkfifo", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakePipe(string path, uint mode);
}
