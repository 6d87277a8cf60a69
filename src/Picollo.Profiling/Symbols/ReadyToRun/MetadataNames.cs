using System.Buffers;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Picollo.Profiling.Symbols.ReadyToRun;

/// <summary>Formats the names of types and methods in metadata as the runtime writes them to perf maps and events. Methods throw
/// <see cref="BadImageFormatException"/> for damaged metadata.</summary>
internal static class MetadataNames
{
    // Deeper nesting is a cycle in damaged metadata. The longest name in .NET 10 has 470 characters.
    private const int MaxDepth = 32;
    private const int MaxLength = 16_384;

    private static readonly SearchValues<char> Escaped = SearchValues.Create(@",[]&*+\");

    /// <summary>Appends the name of the type that a token of a signature (ECMA-335, II.23.2.8) refers to.</summary>
    public static void AppendType(StringBuilder text, MetadataReader metadata, uint token) => AppendType(
        text,
        metadata,
        MetadataTokens.EntityHandle((token & 3) == 0 ? TableIndex.TypeDef : TableIndex.TypeRef, (int)(token >> 2)),
        depth: 0);

    /// <summary>Appends the name of a method, optionally after the name of its type.</summary>
    public static void AppendMethod(StringBuilder text, MetadataReader metadata, EntityHandle method, bool withType)
    {
        EntityHandle type;
        StringHandle name;
        if (method.Kind == HandleKind.MethodDefinition)
        {
            MethodDefinition definition = metadata.GetMethodDefinition((MethodDefinitionHandle)method);
            (type, name) = (definition.GetDeclaringType(), definition.Name);
        }
        else
        {
            MemberReference reference = metadata.GetMemberReference((MemberReferenceHandle)method);
            (type, name) = (reference.Parent, reference.Name);
        }

        if (withType)
        {
            AppendType(text, metadata, type, depth: 0);
        }

        Append(text, "::");
        Append(text, metadata.GetString(name));
    }

    public static void Append(StringBuilder text, string part)
    {
        if (text.Length + part.Length > MaxLength)
        {
            throw new BadImageFormatException("A name is too long.");
        }

        text.Append(part);
    }

    private static void AppendType(StringBuilder text, MetadataReader metadata, EntityHandle type, int depth)
    {
        if (depth > MaxDepth)
        {
            throw new BadImageFormatException("A type is nested in itself.");
        }

        EntityHandle outer;
        StringHandle scope;
        StringHandle name;
        if (type.Kind == HandleKind.TypeDefinition)
        {
            TypeDefinition definition = metadata.GetTypeDefinition((TypeDefinitionHandle)type);
            (outer, scope, name) = (definition.GetDeclaringType(), definition.Namespace, definition.Name);
        }
        else if (type.Kind == HandleKind.TypeReference)
        {
            TypeReference reference = metadata.GetTypeReference((TypeReferenceHandle)type);
            (outer, scope, name) = (reference.ResolutionScope, reference.Namespace, reference.Name);
            outer = outer.Kind == HandleKind.TypeReference ? outer : default;
        }
        else
        {
            throw new BadImageFormatException("A type has no name.");
        }

        if (!outer.IsNil)
        {
            AppendType(text, metadata, outer, depth + 1);
            Append(text, "+");
        }
        else if (!scope.IsNil)
        {
            AppendEscaped(text, metadata.GetString(scope));
            Append(text, ".");
        }

        AppendEscaped(text, metadata.GetString(name));
    }

    // Reserved characters of type names, for example in "<IEnumerable<KeyValuePair<TKey\,TValue>>-GetEnumerator>d__10".
    private static void AppendEscaped(StringBuilder text, string name)
    {
        for (int next; (next = name.AsSpan().IndexOfAny(Escaped)) >= 0; name = name[(next + 1)..])
        {
            Append(text, $@"{name.AsSpan(0, next)}\{name[next]}");
        }

        Append(text, name);
    }
}
