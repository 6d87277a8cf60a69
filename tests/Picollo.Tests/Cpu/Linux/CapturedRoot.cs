using System.Text;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>A directory used as the root of a machine, with files of /proc and /sys that a test writes.</summary>
internal sealed class CapturedRoot : IDisposable
{
    public const string TwoCpus = """
        cpu  1000 200 300 4000 50 0 10 5 0 0
        cpu0 500 100 150 2000 25 0 5 3 0 0
        cpu1 500 100 150 2000 25 0 5 2 0 0
        intr 71856 0 0
        ctxt 165602
        procs_running 3
        procs_blocked 1

        """;

    public CapturedRoot() => Write("proc/stat", TwoCpus);

    public string Folder { get; } = Directory.CreateTempSubdirectory("picollo").FullName;

    public CapturedRoot Write(string path, string text) => Write(path, Encoding.UTF8.GetBytes(text));

    public CapturedRoot Write(string path, byte[] content)
    {
        string file = Path.Combine(Folder, path);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllBytes(file, content);
        return this;
    }

    public void Delete(string path) => File.Delete(Path.Combine(Folder, path));

    public SystemCpu Open(SystemCpuParts parts = SystemCpuParts.All) => new(parts, new LinuxSystemCpuSource(Folder));

    public void Dispose() => Directory.Delete(Folder, recursive: true);
}
