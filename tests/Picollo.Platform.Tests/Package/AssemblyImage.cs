using System.Collections.Immutable;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Picollo.Platform.Tests.Package;

/// <summary>Reads an assembly and its symbols as files, without loading them.</summary>
internal static class AssemblyImage
{
    /// <summary>Returns the full names of the visible types as in documentation files, with nested types after a dot.</summary>
    public static List<string> PublicTypes(byte[] assembly)
    {
        using var file = new PEReader(assembly.ToImmutableArray());
        var metadata = file.GetMetadataReader();
        return metadata.TypeDefinitions.Select(metadata.GetTypeDefinition)
            .Where(type => IsVisible(metadata, type) && !IsGenerated(metadata, type))
            .Select(type => FullName(metadata, type))
            .ToList();
    }

    /// <summary>Returns the assemblies that may use the internals of an assembly.</summary>
    public static List<string> Friends(byte[] assembly)
    {
        using var file = new PEReader(assembly.ToImmutableArray());
        var metadata = file.GetMetadataReader();
        return metadata.GetAssemblyDefinition().GetCustomAttributes().Select(metadata.GetCustomAttribute)
            .Where(attribute => NameOf(metadata, attribute) == "InternalsVisibleToAttribute")
            .Select(attribute =>
            {
                var value = metadata.GetBlobReader(attribute.Value);
                value.ReadUInt16(); // the prolog, always 1
                return value.ReadSerializedString()!;
            })
            .ToList();
    }

    private static string NameOf(MetadataReader metadata, CustomAttribute attribute) => attribute.Constructor.Kind == HandleKind.MemberReference
        && metadata.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent is { Kind: HandleKind.TypeReference } type
        ? metadata.GetString(metadata.GetTypeReference((TypeReferenceHandle)type).Name)
        : "";

    /// <summary>Returns the names of the embedded files.</summary>
    public static List<string> Resources(byte[] assembly)
    {
        using var file = new PEReader(assembly.ToImmutableArray());
        var metadata = file.GetMetadataReader();
        return metadata.ManifestResources.Select(handle => metadata.GetString(metadata.GetManifestResource(handle).Name)).ToList();
    }

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

    private static bool IsVisible(MetadataReader metadata, TypeDefinition type) =>
        (type.Attributes & TypeAttributes.VisibilityMask) switch
        {
            TypeAttributes.Public => true,
            TypeAttributes.NestedPublic => IsVisible(metadata, metadata.GetTypeDefinition(type.GetDeclaringType())),
            _ => false,
        };

    // Compiler-generated types, such as the containers of C# 14 extension blocks, have names that are not valid in source code.
    private static bool IsGenerated(MetadataReader metadata, TypeDefinition type) =>
        metadata.GetString(type.Name).Contains('<')
        || (!type.GetDeclaringType().IsNil
            && IsGenerated(metadata, metadata.GetTypeDefinition(type.GetDeclaringType())));

    private static string FullName(MetadataReader metadata, TypeDefinition type) =>
        type.GetDeclaringType() is { IsNil: false } outer
            ? FullName(metadata, metadata.GetTypeDefinition(outer)) + "." + metadata.GetString(type.Name)
            : metadata.GetString(type.Namespace) + "." + metadata.GetString(type.Name);
}
