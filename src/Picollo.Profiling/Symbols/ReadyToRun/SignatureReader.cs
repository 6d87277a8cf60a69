using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Picollo.Profiling.Symbols.ReadyToRun;

/// <summary>Reads the signature of an instance of a generic method or of a method of a generic type: ECMA-335 (II.23.2) with the additions
/// of ReadyToRun images.</summary>
/// <remarks>Code exists only for canonical instances: for value types, and for <c>__Canon</c> instead of all reference types. So a
/// signature contains no arrays, and no kinds of types that cannot be arguments. If it has more types than the budget, it is damaged. If
/// the text is <see langword="null"/>, only the end of the signature is found. The modules are only needed for names.</remarks>
internal ref struct SignatureReader(NativeData data, int budget, ReadyToRunModules? modules = null, StringBuilder? text = null)
{
    private const int MaxDepth = 64;
    private const int Image = 0; // the index of the module
    private const uint HasMethodArguments = 0x4;
    private const uint HasSlot = 0x8;
    private const uint IsReference = 0x10;
    private const uint IsConstrained = 0x20;
    private const uint HasType = 0x40;
    private const uint HasModule = 0x80;
    private const SignatureTypeCode Canonical = (SignatureTypeCode)0x3E;
    private const SignatureTypeCode InOtherModule = (SignatureTypeCode)0x3F;

    private NativeData _data = data;

    /// <summary>The data after the signature.</summary>
    public readonly NativeData Data => _data;

    /// <summary>The number of types that may still be read.</summary>
    public int Budget { get; private set; } = budget;

    /// <summary>Reads the signature. The name is <c>Type[Arguments]::Method[Arguments]</c>.</summary>
    /// <exception cref="BadImageFormatException">The signature is invalid, or an assembly that it refers to is missing.</exception>
    public void Read()
    {
        uint flags = _data.ReadCompressed();
        if ((flags & HasSlot) != 0)
        {
            throw new BadImageFormatException("The signature of a generic method contains a slot.");
        }

        int module = (flags & HasModule) != 0 ? (int)_data.ReadCompressed() : Image;
        if ((flags & HasType) != 0)
        {
            NativeData type = _data;
            ReadType(module, 0);
            if ((flags & HasModule) == 0 && (SignatureTypeCode)type.ReadByte() == InOtherModule)
            {
                module = (int)type.ReadCompressed();
            }
        }

        int row = (int)_data.ReadCompressed();
        if (text is not null)
        {
            TableIndex table = (flags & IsReference) != 0 ? TableIndex.MemberRef : TableIndex.MethodDef;
            EntityHandle method = MetadataTokens.EntityHandle(table, row);
            MetadataNames.AppendMethod(text, modules![module], method, withType: (flags & HasType) == 0);
        }

        if ((flags & HasMethodArguments) != 0)
        {
            ReadArguments(0);
        }

        if ((flags & IsConstrained) != 0)
        {
            text = null;
            ReadType(module, 0);
        }
    }

    private void ReadArguments(int depth)
    {
        Append("[");
        uint count = _data.ReadCompressed();
        for (uint i = 0; i < count; i++)
        {
            Append(i > 0 ? "," : "");
            ReadType(Image, depth);
        }

        Append("]");
    }

    private void ReadType(int module, int depth)
    {
        if (depth > MaxDepth || --Budget < 0)
        {
            throw new BadImageFormatException("The signature of a generic method is too long.");
        }

        byte code = _data.ReadByte();
        switch ((SignatureTypeCode)code)
        {
            case (SignatureTypeCode)SignatureTypeKind.ValueType or (SignatureTypeCode)SignatureTypeKind.Class:
                uint token = _data.ReadCompressed();
                if (text is not null)
                {
                    MetadataNames.AppendType(text, modules![module], token);
                }

                break;
            case SignatureTypeCode.GenericTypeInstance:
                ReadType(module, depth + 1);
                ReadArguments(depth + 1);
                break;
            case InOtherModule:
                ReadType((int)_data.ReadCompressed(), depth + 1);
                break;
            case Canonical:
                Append("System.__Canon");
                break;
            default:
                // The names of the constants are those of the types.
                Append(Enum.IsDefined((PrimitiveTypeCode)code)
                    ? $"System.{(PrimitiveTypeCode)code}"
                    : throw new BadImageFormatException("The signature of a generic method contains an unknown kind of type."));
                break;
        }
    }

    private readonly void Append(string part)
    {
        if (text is not null)
        {
            MetadataNames.Append(text, part);
        }
    }
}
