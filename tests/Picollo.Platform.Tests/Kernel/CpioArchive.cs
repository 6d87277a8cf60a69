using System.Globalization;
using System.Text;

namespace Picollo.Platform.Tests.Kernel;

/// <summary>An archive as the kernel unpacks it into its first file system: cpio's "newc" format, of
/// Documentation/driver-api/early-userspace/buffer-format.rst in the kernel's sources.</summary>
internal sealed class CpioArchive(Stream output) : IDisposable
{
    private const int Executable = 0x81ED; // a regular file, 0755
    private const int Folder = 0x41ED;

    private int _number = 1;

    public void AddFolder(string name) => Add(name, Folder, []);

    public void AddFile(string name, byte[] content) => Add(name, Executable, content);

    /// <summary>Writes the end.</summary>
    public void Dispose() => Add("TRAILER!!!", 0, []);

    private void Add(string name, int mode, ReadOnlySpan<byte> content)
    {
        // Number, mode, user, group, links, time, size, four device numbers, the name's size with its end, a checksum.
        int[] fields = [_number++, mode, 0, 0, 1, 0, content.Length, 0, 0, 0, 0, name.Length + 1, 0];
        output.Write(Encoding.ASCII.GetBytes(
            "070701" + string.Concat(fields.Select(field => field.ToString("X8", CultureInfo.InvariantCulture))) + name + '\0'));
        Align();
        output.Write(content);
        Align();
    }

    private void Align() => output.Write(new byte[-output.Position & 3]);
}
