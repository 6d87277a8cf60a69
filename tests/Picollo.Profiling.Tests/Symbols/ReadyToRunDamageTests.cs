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

    public static TheoryData<string, Action<byte[]>> Damages() => new()
    {
        { "*", image => Array.Fill(image, (byte)'a') },
        { "The file's native code is not in the ReadyToRun format.", image => image[Parts.Header] ^= 1 },
        { "The ReadyToRun header has too many sections.", image => Number(image, Parts.Header + 12, uint.MaxValue) },
        { "The parts of the file are larger than the file.", image => Number(image, Parts.Entry(ReadyToRunSection.RuntimeFunctions) + 8, 0x7FFF_FFFF) },
        { "The file does not contain the *", image => Number(image, Parts.Entry(ReadyToRunSection.RuntimeFunctions) + 4, uint.MaxValue) },
        { "*", image => Number(image, Parts.Metadata, 0) },
        { "A table of entry points contradicts the table of functions.", image => Number(image, Parts.Entry(ReadyToRunSection.RuntimeFunctions) + 8, 120) },
        { "A table *", image => image.AsSpan(Parts.Start(ReadyToRunSection.MethodDefEntryPoints), 5).Fill(0x0F) },
        { "A table *", image => image[Parts.Start(ReadyToRunSection.InstanceEntryPoints)] = 0xFE },
        { "*", image => image.AsSpan(Parts.Start(ReadyToRunSection.InstanceEntryPoints) + 3000, 10_000).Fill(0x15) }, // a signature
    };

    [Theory]
    [MemberData(nameof(Damages))]
    public void Damage_is_reported(string expected, Action<byte[]> damage)
    {
        byte[] image = [.. Image];
        damage(image);

        ReasonFor(image).Should().Match(expected);
    }

    [Fact]
    public void Paths_that_are_not_files_and_files_without_such_code_are_reported()
    {
        foreach (string path in (string[])["", "missing.dll", "a\0b", "/", "/dev/zero"])
        {
            ReadyToRunImage.TryRead(path, out string? reason).Should().BeNull();
            reason.Should().NotBeEmpty();
        }

        ReasonFor([]).Should().Be("The file is empty or larger than 2 GB.");
        ReasonFor(File.ReadAllBytes(typeof(ReadyToRunDamageTests).Assembly.Location)).Should().Be("The file has no ReadyToRun code.");
    }

    [Fact]
    public void Cyclically_nested_types_are_rejected()
    {
        var metadata = new MetadataBuilder();
        metadata.AddModule(0, default, default, default, default);
        metadata.AddTypeReference(MetadataTokens.TypeReferenceHandle(1), default, metadata.GetOrAddString("Loop"));
        var bytes = new BlobBuilder();
        new MetadataRootBuilder(metadata, suppressValidation: true).Serialize(bytes, 0, 0);

        FluentActions.Invoking(() => MetadataNames.AppendType(new StringBuilder(), PeFile.ToMetadata(bytes.ToArray()), (1 << 2) | 1))
            .Should().Throw<BadImageFormatException>().WithMessage("A type is nested in itself.");
    }

    [Fact]
    public void Signatures_and_blocks_that_overlap_are_rejected()
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

        FluentActions.Invoking(() => new EntryPoints(count, [], section)).Should().Throw<BadImageFormatException>()
            .WithMessage("The signature of a generic method is too long.");

        // 100 blocks of 16 methods refer to one block, with one method.
        byte[] blocks = [0x0F, .. BitConverter.GetBytes(16u * 100 << 2), .. Enumerable.Repeat((byte)100, 100), 0x00, 0x00];
        FluentActions.Invoking(() => new EntryPoints(50, [blocks], [])).Should().Throw<BadImageFormatException>();
    }

    private static void Number(byte[] image, int offset, uint number) =>
        BinaryPrimitives.WriteUInt32LittleEndian(image.AsSpan(offset), number);

    private string ReasonFor(byte[] image)
    {
        string path = Path.Combine(_folder, "Damaged.dll");
        File.WriteAllBytes(path, image);
        ReadyToRunImage.TryRead(path, out string? reason).Should().BeNull();
        return reason.Should().NotBeEmpty().And.Subject!;
    }
}
