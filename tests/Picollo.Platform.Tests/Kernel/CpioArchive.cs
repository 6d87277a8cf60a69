using System.Globalization;
using System.Text;

namespace Picollo.Platform.Tests.Kernel;

/// <summary>An archive that the kernel unpacks into its initial file system, in the cpio format "newc"
/// (Documentation/driver-api/early-userspace/buffer-format.rst in the kernel's sources).</summary>
internal sealed class CpioArchive(Stream output) : IDisposable
{
    private const int Executable = 0x81ED; // a regular file, 0755
    private const int Folder = 0x41ED;

    private int _number = 1;

    public void AddFolder(string name) => Add(name, Folder, []);

    public void AddFile(string name, byte[] content) => Add(name, Executable, content);

    /// <summary>Writes the trailer.</summary>
    public void Dispose() => Add("TRAILER!!!", 0, []);

    private void Add(string name, int mode, ReadOnlySpan<byte> content)
    {
        // The fields are number, mode, user, group, links, time, size, four device numbers, the size of the name with its end, and a
        // checksum.
        int[] fields = [_number++, mode, 0, 0, 1, 0, content.Length, 0, 0, 0, 0, name.Length + 1, 0];
        output.Write(Encoding.ASCII.GetBytes(
            "070701" + string.Concat(fields.Select(field => field.ToString("X8", CultureInfo.InvariantCulture))) + name + '\0'));
        Align();
        output.Write(content);
        Align();
    }

    private void Align() => output.Write(new byte[-output.Position & 3]);
}
