using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Text;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Tests.Symbols;

/// <summary>Signatures that the images of the framework do not contain: those of assemblies that are compiled together, and of code of
/// other assemblies.</summary>
public class ReadyToRunSignatureTests
{
    private const int Manifest = 1;
    private const int Linq = 2;

    private static readonly MetadataReader OfLinq = ReadMetadata(typeof(Enumerable).Assembly.Location);

    [Fact]
    public void Tokens_refer_to_the_other_module_and_those_of_arguments_to_the_image()
    {
        int grouping = RowOf("Grouping`2");
        int method = MetadataTokens.GetRowNumber(
            OfLinq.GetTypeDefinition(MetadataTokens.TypeDefinitionHandle(grouping)).GetMethods().First());

        NameOf([0x40, 0x3F, Linq, 0x15, 0x12, .. Token(grouping, 0), 2, 0x12, .. Token(1, 1), 0x3E, .. Compressed(method)])
            .Should().Be($"System.Linq.Grouping`2[Own.Type,System.__Canon]::{MethodName(method)}");
    }

    [Fact]
    public void Methods_can_be_references_of_the_manifest() =>
        NameOf([0x80, 0xD4, Manifest, 0x15, 0x12, .. Token(1, 1), 1, 0x11, .. Token(1, 1), 1, 1, 0x08])
            .Should().Be("Manifest.Type[Own.Type]::Method[System.Int32]");

    [Fact]
    public void Constraints_are_skipped()
    {
        var reader = new SignatureReader(new NativeData([0x34, 1, 1, 0x3E, 0x12, 0x05, 0x42]), budget: 10);
        reader.Read();
        NativeData rest = reader.Data;
        rest.ReadByte().Should().Be(0x42);
    }

    [Theory]
    [InlineData(0x08, 1)] // A slot instead of a token.
    [InlineData(0x40, 0x1D, 0x08, 1)] // An array.
    [InlineData(0x40, 0x3F, 9, 0x12, 0x05, 1)] // An unknown module.
    [InlineData(0x40, 0x12, 0xC0)] // Too short.
    public void Unsupported_signatures_are_rejected(params int[] signature)
    {
        Action name = () => NameOf([.. signature.Select(value => (byte)value)]);
        name.Should().Throw<BadImageFormatException>();
    }

    private static string NameOf(byte[] signature)
    {
        var modules = new ReadyToRunModules(
            Path.GetDirectoryName(typeof(Enumerable).Assembly.Location)!, Metadata("Own"), Metadata("Manifest"), new Version(9, 2));
        var text = new StringBuilder();
        new SignatureReader(new NativeData(signature), signature.Length, modules, text).Read();
        return text.ToString();
    }

    /// <summary>Metadata with a reference to the assembly System.Linq in the manifest, to a type, and to a method.</summary>
    private static MetadataReader Metadata(string name)
    {
        var metadata = new MetadataBuilder();
        metadata.AddModule(0, default, default, default, default);
        EntityHandle scope = default;
        if (name == "Manifest")
        {
            scope = metadata.AddAssemblyReference(metadata.GetOrAddString("System.Linq"), new Version(), default, default, default, default);
        }

        EntityHandle type = metadata.AddTypeReference(scope, metadata.GetOrAddString(name), metadata.GetOrAddString("Type"));
        metadata.AddMemberReference(type, metadata.GetOrAddString("Method"), default);
        var bytes = new BlobBuilder();
        new MetadataRootBuilder(metadata, suppressValidation: true).Serialize(bytes, 0, 0);
        return PeFile.ToMetadata(bytes.ToArray());
    }

    private static MetadataReader ReadMetadata(string path)
    {
        using FileStream file = PeFile.Open(path);
        return new PeFile(file).ReadMetadata();
    }

    private static int RowOf(string type) => MetadataTokens.GetRowNumber(
        OfLinq.TypeDefinitions.First(handle => OfLinq.GetString(OfLinq.GetTypeDefinition(handle).Name) == type));

    private static string MethodName(int row) =>
        OfLinq.GetString(OfLinq.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row)).Name);

    private static byte[] Token(int row, int table) => Compressed((row << 2) | table);

    private static byte[] Compressed(int value)
    {
        var bytes = new BlobBuilder();
        bytes.WriteCompressedInteger(value);
        return bytes.ToArray();
    }
}
