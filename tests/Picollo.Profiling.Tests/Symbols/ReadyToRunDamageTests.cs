using System.Buffers.Binary;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Text;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Tests.Symbols;

public sealed class ReadyToRunDamageTests : IDisposable
{
    private static readonly byte[] Image = File.ReadAllBytes(typeof(Enumerable).Assembly.Location);
    private static readonly ReadyToRunLayout Parts = new(Image);

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-r2r-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    public static TheoryData<string, string> Damages() => new()
    {
        { "empty", "The file is empty or larger than 2 GB." },
        { "text", "*" },
        { "IL", "The file has no ReadyToRun code." },
        { "signature", "The file's native code is not in the ReadyToRun format." },
        { "section count", "The ReadyToRun header has too many sections." },
        { "section size", "The parts of the file are larger than the file." },
        { "section address", "The file does not contain the *" },
        { "metadata", "*" },
        { "function count", "A table of entry points contradicts the table of functions." },
        { "methods count", "A table *" },
        { "hash table", "A table *" },
        { "signature of instance", "*" },
    };

    [Theory]
    [MemberData(nameof(Damages))]
    public void Damage_is_reported(string kind, string expected)
    {
        byte[] image = [.. Image];
        switch (kind)
        {
            case "empty":
                image = [];
                break;
            case "text":
                Array.Fill(image, (byte)'a');
                break;
            case "IL":
                image = File.ReadAllBytes(typeof(ReadyToRunDamageTests).Assembly.Location);
                break;
            case "signature":
                image[Parts.Header] ^= 1;
                break;
            case "section count":
                BinaryPrimitives.WriteUInt32LittleEndian(image.AsSpan(Parts.Header + 12), uint.MaxValue);
                break;
            case "section size":
                BinaryPrimitives.WriteUInt32LittleEndian(image.AsSpan(Parts.Entry(ReadyToRunSection.RuntimeFunctions) + 8), 0x7FFF_FFFF);
                break;
            case "section address":
                BinaryPrimitives.WriteUInt32LittleEndian(image.AsSpan(Parts.Entry(ReadyToRunSection.RuntimeFunctions) + 4), uint.MaxValue);
                break;
            case "metadata":
                image.AsSpan(Parts.Metadata, 4).Clear();
                break;
            case "function count":
                BinaryPrimitives.WriteUInt32LittleEndian(image.AsSpan(Parts.Entry(ReadyToRunSection.RuntimeFunctions) + 8), 120);
                break;
            case "methods count":
                image.AsSpan(Parts.Start(ReadyToRunSection.MethodDefEntryPoints), 5).Fill(0x0F);
                break;
            case "hash table":
                image[Parts.Start(ReadyToRunSection.InstanceEntryPoints)] = 0xFE;
                break;
            case "signature of instance":
                image.AsSpan(Parts.Start(ReadyToRunSection.InstanceEntryPoints) + 3000, 10_000).Fill(0x15);
                break;
        }

        ReadyToRunImage.TryRead(Write(image), out string? reason).Should().BeNull();
        reason.Should().NotBeEmpty().And.Match(expected);
    }

    [Theory]
    [InlineData("")]
    [InlineData("missing.dll")]
    [InlineData("a\0b")]
    [InlineData("/")]
    [InlineData("/dev/zero")]
    public void Paths_that_are_not_files_are_reported(string path)
    {
        ReadyToRunImage.TryRead(path, out string? reason).Should().BeNull();
        reason.Should().NotBeEmpty();
    }

    [Fact]
    public void Cyclically_nested_types_are_rejected()
    {
        var metadata = new MetadataBuilder();
        metadata.AddModule(0, default, default, default, default);
        metadata.AddTypeReference(MetadataTokens.TypeReferenceHandle(1), default, metadata.GetOrAddString("Loop"));
        var bytes = new BlobBuilder();
        new MetadataRootBuilder(metadata, suppressValidation: true).Serialize(bytes, 0, 0);

        Action append = () => MetadataNames.AppendType(new StringBuilder(), PeFile.ToMetadata(bytes.ToArray()), (1 << 2) | 1);
        append.Should().Throw<BadImageFormatException>().WithMessage("A type is nested in itself.");
    }

    [Fact]
    public void Signatures_that_overlap_are_rejected()
    {
        // 1,000 entries refer to one signature of 1,000 types. Without a limit, the time would grow with the square of the size.
        const int count = 1000;
        byte[] signature = [0x04, 0x01, 0x83, 0xE8, .. Enumerable.Repeat((byte)0x08, count), 0x00];
        var table = new List<byte> { 0x02, 0x08, 0, 0, 0, 0, 0, 0, 0 };
        int end = table.Count + (count * 6);
        for (int i = 0; i < count; i++)
        {
            table.AddRange([0, 0x0F, .. BitConverter.GetBytes(end - table.Count - 1)]);
        }

        byte[] section = [.. table, .. signature];
        BinaryPrimitives.WriteInt32LittleEndian(section.AsSpan(5), end - 1);

        Action read = () => _ = new EntryPoints(count, [], section);
        read.Should().Throw<BadImageFormatException>().WithMessage("The signature of a generic method is too long.");
    }

    [Fact]
    public void Blocks_that_overlap_are_rejected()
    {
        // 100 blocks of 16 methods refer to one block, with one method.
        const int count = 100;
        byte[] section = [0x0F, .. BitConverter.GetBytes((16u * count) << 2), .. Enumerable.Repeat((byte)count, count), 0x00, 0x00];

        Action read = () => _ = new EntryPoints(count / 2, [section], []);
        read.Should().Throw<BadImageFormatException>();
    }

    private string Write(byte[] bytes)
    {
        string path = Path.Combine(_folder, "Damaged.dll");
        File.WriteAllBytes(path, bytes);
        return path;
    }
}
