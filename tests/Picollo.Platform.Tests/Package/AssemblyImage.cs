using System.Collections.Immutable;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Picollo.Platform.Tests.Package;

/// <summary>Reads an assembly and its symbols as files, without loading them.</summary>
internal static class AssemblyImage
{
    /// <summary>Returns the assemblies that may use the internals of an assembly.</summary>
    public static List<string> Friends(byte[] assembly) => Read(assembly, metadata => metadata.GetAssemblyDefinition().GetCustomAttributes()
        .Select(metadata.GetCustomAttribute)
        .Where(attribute => NameOf(metadata, attribute) == "InternalsVisibleToAttribute")
        .Select(attribute =>
        {
            var value = metadata.GetBlobReader(attribute.Value);
            value.ReadUInt16(); // the prolog, always 1
            return value.ReadSerializedString()!;
        }));

    /// <summary>Returns the names of the embedded files.</summary>
    public static List<string> Resources(byte[] assembly) =>
        Read(assembly, metadata => metadata.ManifestResources.Select(
            handle => metadata.GetString(metadata.GetManifestResource(handle).Name)));

    /// <summary>Returns the identity that the assembly's debug directory requires of its symbols.</summary>
    public static Guid ExpectedSymbolsId(byte[] assembly)
    {
        using var file = new PEReader(assembly.ToImmutableArray());
        var entry = file.ReadDebugDirectory().Single(e => e.Type == DebugDirectoryEntryType.CodeView);
        return file.ReadCodeViewDebugDirectoryData(entry).Guid;
    }

    public static Guid SymbolsId(byte[] symbols)
    {
        using var provider = MetadataReaderProvider.FromPortablePdbImage(symbols.ToImmutableArray());
        return new BlobContentId(provider.GetMetadataReader().DebugMetadataHeader!.Id).Guid;
    }

    /// <summary>Returns the source files that the symbols refer to.</summary>
    public static List<string> Documents(byte[] symbols)
    {
        using var provider = MetadataReaderProvider.FromPortablePdbImage(symbols.ToImmutableArray());
        var metadata = provider.GetMetadataReader();
        return metadata.Documents.Select(handle => metadata.GetString(metadata.GetDocument(handle).Name)).ToList();
    }

    private static List<string> Read(byte[] assembly, Func<MetadataReader, IEnumerable<string>> read)
    {
        using var file = new PEReader(assembly.ToImmutableArray());
        return [.. read(file.GetMetadataReader())];
    }

    private static string NameOf(MetadataReader metadata, CustomAttribute attribute) => attribute.Constructor.Kind == HandleKind.MemberReference
        && metadata.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent is { Kind: HandleKind.TypeReference } type
        ? metadata.GetString(metadata.GetTypeReference((TypeReferenceHandle)type).Name)
        : "";
}
