using System.Collections.Concurrent;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Symbols.ReadyToRun;

/// <summary>The metadata that an image refers to by index: its own, that of other assemblies in its folder, and its manifest. Thread-safe.
/// A composite image has no own metadata. Old images have no manifest.</summary>
internal sealed class ReadyToRunModules(
    string folder, MetadataReader? own, MetadataReader? manifest, Version version, string? root = null, ReadBudget? budget = null)
{
    // Since this version, the index after the image's own references is the manifest.
    private static readonly Version ManifestHasIndex = new(6, 3);

    private readonly ConcurrentDictionary<string, MetadataReader> _others = new();
    private readonly int _ownReferences = own?.GetTableRowCount(TableIndex.AssemblyRef) ?? 0;

    /// <summary>The metadata of the module with the given index; 0 is the image itself.</summary>
    /// <exception cref="BadImageFormatException">There is no such module, or its file cannot be read.</exception>
    public MetadataReader this[int index] =>
        index == 0 ? own ?? Named("System.Private.CoreLib")
        : index <= _ownReferences ? Referenced(own!, index)
        : manifest is null ? throw new BadImageFormatException("A signature refers to an unknown module.")
        : index == _ownReferences + 1 && version >= ManifestHasIndex ? manifest
        : Referenced(manifest, index - _ownReferences - 1);

    /// <summary>The metadata of an assembly of a composite image, by its index; that of the image itself if it is not composite.</summary>
    public MetadataReader Component(int index) =>
        own ?? Referenced(manifest ?? throw new BadImageFormatException("The image has no manifest."), index + 1);

    private MetadataReader Referenced(MetadataReader metadata, int row) =>
        Named(metadata.GetString(metadata.GetAssemblyReference(MetadataTokens.AssemblyReferenceHandle(row)).Name));

    private MetadataReader Named(string assembly) => _others.GetOrAdd(assembly, ReadMetadata);

    private MetadataReader ReadMetadata(string assembly)
    {
        using FileStream file = PeFile.Open(Path.Join(folder, Path.GetFileName(assembly) + ".dll"), root);
        return new PeFile(file, total: budget).ReadMetadata();
    }
}
