namespace Picollo.Profiling.Symbols;

/// <summary>Demangles names of Rust functions: those of version 0
/// (https://rust-lang.github.io/rfcs/2603-rust-symbol-name-mangling-v0.html), and the older ones, which are names of C++ with a hash.
/// Hashes are omitted. Names with Punycode are not demangled.</summary>
internal sealed class RustName : SymbolName
{
    private const int HashLength = 17; // with the letter h
    private const string Digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    private static readonly Dictionary<string, string> OldCharacters = Pairs("SP @;BP *;RF &;LT <;GT >;LP (;RP );C ,");

    private static readonly Dictionary<string, string> BasicTypes = Pairs(
        "a i8;b bool;c char;d f64;e str;f f32;h u8;i isize;j usize;l i32;m u32;n i128;o u128;p _;s i16;t u16;u ();v ...;x i64;y u64;z !");

    private int _lifetimes;

    private RustName(string symbol)
        : base(symbol)
    {
    }

    /// <summary>Returns the name; null if it is not a name of Rust that can be demangled.</summary>
    public static string? TryDemangle(string symbol)
    {
        var parser = new RustName(symbol);
        string name = symbol.StartsWith("_R", StringComparison.Ordinal) ? parser.Path(isValue: true)
            : symbol.StartsWith("_ZN", StringComparison.Ordinal) ? parser.Old()
            : "";
        return parser.HasFailed || name.Length == 0 ? null : name;
    }

    /// <summary>Reads <c>_ZN4core3fmt9Formatter3pad17h</c>, 16 hexadecimal digits, and <c>E</c>.</summary>
    private string Old()
    {
        Expect('N');
        var parts = new List<string>();
        while (char.IsAsciiDigit(Next))
        {
            parts.Add(Identifier(separator: ""));
        }

        Expect('E');
        Check(parts is [_, .., ['h', .. var hash]] && parts[^1].Length == HashLength
            && !hash.AsSpan().ContainsAnyExcept(Digits.AsSpan(0, 16)));
        return HasFailed ? "" : Join("::", parts.SkipLast(1).Select(OldPart));
    }

    private string OldPart(string part)
    {
        // Every second piece is the name of a character.
        string[] pieces = (part.StartsWith("_$", StringComparison.Ordinal) ? part[1..] : part).Split('$');
        Check(pieces.Length % 2 == 1);
        return string.Concat(pieces.Select(
            (piece, i) => i % 2 == 0 ? piece.Replace("..", "::", StringComparison.Ordinal) : OldCharacter(piece)));
    }

    private string OldCharacter(string name)
    {
        int code = 0;
        bool isKnown = OldCharacters.TryGetValue(name, out string? character);
        Check(isKnown || (name.StartsWith('u')
            && int.TryParse(name.AsSpan(1), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out code) && Rune.IsValid(code)));
        return character ?? (HasFailed ? "" : new Rune(code).ToString());
    }

    /// <param name="isValue">Whether it is a function instead of a type, so that <c>::</c> is before its generic arguments.</param>
    private string Path(bool isValue)
    {
        if (!Enter())
        {
            return "";
        }

        string path;
        switch (Read())
        {
            case 'C':
                _ = Disambiguator();
                path = Identifier();
                break;
            case 'M':
                Implementation();
                path = $"<{Type()}>";
                break;
            case 'X':
                Implementation();
                path = $"<{Type()} as {Path(isValue: false)}>";
                break;
            case 'Y':
                path = $"<{Type()} as {Path(isValue: false)}>";
                break;
            case 'N':
                path = Nested(isValue);
                break;
            case 'I':
                path = $"{Path(isValue)}{(isValue ? "::" : "")}<{Join(", ", List(GenericArgument))}>";
                break;
            case 'B':
                path = Back(() => Path(isValue));
                break;
            default:
                Check(false);
                return "";
        }

        Leave();
        return Limit(path);
    }

    private void Implementation()
    {
        _ = Disambiguator();
        _ = Path(isValue: false); // where it is
    }

    private string Nested(bool isValue)
    {
        char scope = Read();
        Check(char.IsAsciiLetter(scope));
        string path = Path(isValue);
        long number = Disambiguator();
        string name = Identifier();
        string kind = scope == 'C' ? "closure" : scope == 'S' ? "shim" : scope.ToString();
        return char.IsAsciiLetterUpper(scope) ? $"{path}::{{{kind}{(name.Length > 0 ? ":" : "")}{name}#{number}}}"
            : name.Length > 0 ? $"{path}::{name}"
            : path;
    }

    private string GenericArgument() => Take("L") ? Lifetime(Number()) : Take("K") ? Constant() : Type();

    private string Type()
    {
        if (BasicTypes.TryGetValue(Next.ToString(), out string? basic))
        {
            At++;
            return basic;
        }

        if (!Enter())
        {
            return "";
        }

        string type = Next is 'C' or 'M' or 'X' or 'Y' or 'N' or 'I' ? Path(isValue: false) : Read() switch
        {
            'R' => $"&{OptionalLifetime("", " ")}{Type()}",
            'Q' => $"&{OptionalLifetime("", " ")}mut {Type()}",
            'P' => "*const " + Type(),
            'O' => "*mut " + Type(),
            'A' => $"[{Type()}; {Constant()}]",
            'S' => $"[{Type()}]",
            'T' => List(Type) is var types && types.Count == 1 ? $"({types[0]},)" : $"({Join(", ", types)})",
            'F' => Binder(Function),
            'D' => $"dyn {Binder(() => Join(" + ", List(Trait)))}{OptionalLifetime(" + ", "")}",
            'B' => Back(Type),
            _ => "",
        };
        Check(type.Length > 0);
        Leave();
        return Limit(type);
    }

    private string Function()
    {
        string prefix = Take("U") ? "unsafe " : "";
        prefix += Take("KC") ? "extern \"C\" " : Take("K") ? $"extern \"{Identifier().Replace('_', '-')}\" " : "";
        string parameters = Join(", ", List(Type));
        return $"{prefix}fn({parameters}){(Take("u") ? "" : " -> " + Type())}";
    }

    /// <summary>Reads a trait of a trait object. Its associated types are among its generic arguments.</summary>
    private string Trait()
    {
        string path = Path(isValue: false);
        var types = new List<string>();
        while (Take("p"))
        {
            types.Add($"{Identifier()} = {Type()}");
        }

        return types.Count == 0 ? path
            : Limit($"{(path.EndsWith('>') ? path[..^1] + ", " : path + "<")}{Join(", ", types)}>");
    }

    private string Constant()
    {
        if (Take("p"))
        {
            return "_";
        }

        char type = Read();
        if (type == 'B')
        {
            return Enter() ? Back(Constant) : "";
        }

        string sign = Take("n") ? "-" : "";
        int start = At;
        while (Next is (>= '0' and <= '9') or (>= 'a' and <= 'f'))
        {
            At++;
        }

        string digits = HasFailed ? "" : Text[start..At];
        Check(UInt128.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out UInt128 value));
        Expect('_');
        Check(type is 'a' or 's' or 'l' or 'x' or 'n' or 'i' or 'h' or 't' or 'm' or 'y' or 'o' or 'j'
            || (type == 'b' && value <= 1)
            || (type == 'c' && value >= ' ' && value <= '~' && value != '\'' && value != '\\')); // others would have to be escaped
        return type == 'b' ? value == 1 ? "true" : "false"
            : type == 'c' ? $"'{(char)value}'"
            : sign + value.ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>Reads a type that may declare lifetimes.</summary>
    private string Binder(Func<string> parse)
    {
        int outer = _lifetimes;
        long count = Take("G") ? Number() + 1 : 0;
        Check(count is >= 0 and <= 26);
        string names = HasFailed ? "" : Join(", ", Enumerable.Range(0, (int)count).Select(_ =>
        {
            _lifetimes++;
            return Lifetime(1);
        }));
        string type = parse();
        _lifetimes = outer;
        return names.Length > 0 ? $"for<{names}> {type}" : type;
    }

    /// <summary>Reads a lifetime, which is not shown if it is erased.</summary>
    private string OptionalLifetime(string before, string after)
    {
        long index = Take("L") ? Number() : 0;
        return index == 0 ? "" : before + Lifetime(index) + after;
    }

    /// <param name="index">The number of the lifetime, from the innermost; 0 if it is erased.</param>
    private string Lifetime(long index)
    {
        long depth = _lifetimes - index;
        Check(index == 0 || depth is >= 0 and < 26);
        return index == 0 || HasFailed ? "'_" : $"'{(char)('a' + depth)}";
    }

    /// <summary>Reads a part again that was read before.</summary>
    private string Back(Func<string> parse)
    {
        int start = At - 1;
        long target = Number() + PrefixLength;
        Check(target < start && target >= PrefixLength);
        (int after, At) = (At, HasFailed ? At : (int)target);
        string part = HasFailed ? "" : parse();
        At = after;
        return part;
    }

    private List<string> List(Func<string> element)
    {
        var elements = new List<string>();
        while (!HasFailed && !Take("E"))
        {
            elements.Add(element());
        }

        return elements;
    }

    private string Identifier(string separator = "_")
    {
        int length = 0;
        Check(char.IsAsciiDigit(Next)); // Punycode starts with u
        for (bool isFirst = true; char.IsAsciiDigit(Next) && (isFirst || length > 0); At++, isFirst = false)
        {
            length = Math.Min((length * 10) + Next - '0', Text.Length);
        }

        At += Next == '_' && separator.Length > 0 && length > 0 ? 1 : 0;
        Check(length <= Text.Length - At);
        string name = HasFailed ? "" : Text.Substring(At, length);
        At += length;
        return name;
    }

    /// <summary>Reads the number that distinguishes equal names; 0 for the first one.</summary>
    private long Disambiguator() => Take("s") ? Number() + 1 : 0;

    /// <summary>Reads a number to base 62: 0 is <c>_</c>, 1 is <c>0_</c>.</summary>
    private long Number()
    {
        long number = 0;
        int start = At;
        for (; Next != '_' && !HasFailed; At++)
        {
            int digit = Digits.IndexOf(Next, StringComparison.Ordinal);
            Check(digit >= 0);
            number = unchecked((number * 62) + digit);
        }

        number += At > start ? 1 : 0;
        At++;
        return number;
    }

    private char Read()
    {
        char next = Next;
        Check(next != '\0');
        At++;
        return next;
    }
}
