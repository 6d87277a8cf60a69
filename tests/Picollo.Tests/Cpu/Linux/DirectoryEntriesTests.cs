using System.Buffers.Binary;
using System.Text;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

public class DirectoryEntriesTests
{
    [Fact]
    public void Names_are_enumerated_without_their_padding() =>
        Names([.. Entry(".", 24), .. Entry("1", 24), .. Entry("4194303", 32), .. Entry("self", 24)]).Should().Equal(".", "1", "4194303", "self");

    [Theory]
    [InlineData(0)]
    [InlineData(19)]
    [InlineData(65_535)]
    public void An_invalid_length_ends_the_listing(ushort length)
    {
        byte[] wrong = Entry("2", 24);
        BinaryPrimitives.WriteUInt16LittleEndian(wrong.AsSpan(16), length);

        Names([.. Entry("1", 24), .. wrong, .. Entry("3", 24)]).Should().Equal("1");
    }

    [Fact]
    public void A_truncated_entry_is_ignored() => Names([.. Entry("1", 24), .. Entry("2", 24)[..20]]).Should().Equal("1");

    // struct linux_dirent64: inode and offset, length, type, name, and zeros up to the next multiple of eight.
    private static byte[] Entry(string name, ushort length)
    {
        byte[] entry = new byte[length];
        BinaryPrimitives.WriteUInt16LittleEndian(entry.AsSpan(16), length);
        entry[18] = 4; // a directory
        Encoding.UTF8.GetBytes(name, entry.AsSpan(19));
        return entry;
    }

    private static List<string> Names(byte[] buffer)
    {
        List<string> names = [];
        var entries = new DirectoryEntries(buffer);
        while (entries.MoveNext())
        {
            names.Add(Encoding.UTF8.GetString(entries.Name));
        }

        return names;
    }
}
