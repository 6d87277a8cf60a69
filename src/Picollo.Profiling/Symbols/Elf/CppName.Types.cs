namespace Picollo.Profiling.Symbols;

/// <content>Types and template arguments.</content>
internal sealed partial class CppName
{
    private static readonly Dictionary<string, string> Builtins = Pairs(
        "v void;w wchar_t;b bool;c char;a signed char;h unsigned char;s short;t unsigned short;i int;j unsigned int;l long;"
        + "m unsigned long;x long long;y unsigned long long;n __int128;o unsigned __int128;f float;d double;e long double;g __float128;"
        + "z ...;Dn decltype(nullptr);Di char32_t;Ds char16_t;Du char8_t;Da auto");

    private static readonly Dictionary<string, string> Suffixes = Pairs("i ;j u;l l;m ul;x ll;y ull");

    /// <summary>Reads the template arguments after the name of a template.</summary>
    private Part Instance(Part template, bool isKnown, bool isFunction)
    {
        Remember(isKnown, template);
        var arguments = new List<Part>();
        Expect('I');
        Check(template.Text is { Length: > 0 } and not "std");
        _arguments = isFunction ? [] : _arguments;
        while (!HasFailed && !Take("E"))
        {
            arguments.Add(Type());
        }

        _arguments = isFunction ? [.. arguments] : _arguments;
        string list = Join(arguments);
        return template with
        {
            Before = Limit($"{template.Text}{(template.Text.EndsWith('<') ? " " : "")}<{list}{(list.EndsWith('>') ? " " : "")}>"),
            After = "",
            IsInstance = true,
        };
    }

    private string Literal()
    {
        bool hasSuffix = Suffixes.TryGetValue(Next.ToString(), out string? suffix);
        bool isTruth = Is("b0E") || Is("b1E");
        Check(Next is not ('_' or 'f' or 'd' or 'e' or 'g'));
        string type = Type().Text;
        string sign = Take("n") ? "-" : "";
        int start = At;
        _ = Number();
        string number = HasFailed ? "" : sign + Text[start..At];
        Expect('E');
        return isTruth ? number == "0" ? "false" : "true" : hasSuffix ? number + suffix : $"({type}){number}";
    }

    private string Parameters()
    {
        var types = new List<Part>();
        while (Next is not ('E' or '.' or '\0') && !Is("RE") && !Is("OE"))
        {
            types.Add(Type());
        }

        Check(types.Count > 0);
        return types is [{ Text: "void" }] ? "" : Join(types);
    }

    /// <summary>Reads a type or a template argument.</summary>
    private Part Type()
    {
        if (!Enter())
        {
            return Part.None;
        }

        Part type = Type(out bool isKnown);
        Remember(isKnown, type);
        Leave();
        return type with { Before = Limit(type.Before), After = Limit(type.After) };
    }

    /// <param name="isKnown">Whether it cannot be referred to, or is such a reference.</param>
    private Part Type(out bool isKnown)
    {
        isKnown = false;
        switch (Next)
        {
            case 'r' or 'V' or 'K':
                string qualifiers = Qualifiers();
                Part qualified = Next == 'F' || Is("DoF") ? Function() : Type();
                return qualified.IsFunction ? qualified with { After = qualified.After + qualifiers }
                    : qualified.Before.EndsWith(qualifiers, StringComparison.Ordinal) ? qualified
                    : qualified with { Before = qualified.Before + qualifiers };
            case 'P':
                At++;
                return Type().Pointer("*");
            case 'R' or 'O':
                string reference = Reference().Trim();
                Part target = Type();
                return target.Before.EndsWith("&&", StringComparison.Ordinal) ? target with { Before = target.Before[..^2] + reference }
                    : target.Before.EndsWith('&') ? target
                    : target.Pointer(reference);
            case 'M':
                At++;
                string type = Type().Text;
                Part member = Type();
                return member.Pointer((member.IsFunction || member.IsArray ? "" : " ") + type + "::*");
            case 'F':
            case 'D' when Is("DoF"):
                return Function();
            case 'A':
                return Array();
            case 'T':
                Part parameter = TemplateParameter();
                return Next == 'I' ? Instance(parameter, isKnown: false, isFunction: false) : parameter;
            case 'S' when !Is("St"):
                Part known = Substitution();
                isKnown = Next != 'I';
                return isKnown ? known : Instance(known, isKnown: true, isFunction: false);
            case 'N' or 'Z' or 'S' or (>= '0' and <= '9'):
                return Name(isFunction: false);
            case 'D' when Take("Dp"):
                return Expansion();
        }

        isKnown = true;
        if (Take("J"))
        {
            var pack = new List<Part>();
            while (!HasFailed && !Take("E"))
            {
                pack.Add(Type());
            }

            return Part.None with { Pack = [.. Flat(pack)] };
        }

        if (Take("XadL_Z"))
        {
            string function = Encoding(hasParameters: false);
            Check(Take("EE"));
            return new Part("&" + function);
        }

        if (Take("L"))
        {
            return new Part(Literal());
        }

        string code = HasFailed ? "" : Text.Substring(At, Math.Min(Next == 'D' ? 2 : 1, Text.Length - At));
        At += code.Length;
        Check(Builtins.TryGetValue(code, out string? builtin));
        return new Part(builtin ?? "");
    }

    private Part Function()
    {
        string exceptions = Take("Do") ? " noexcept" : "";
        Expect('F');
        _ = Take("Y"); // extern "C"
        Part result = Type();
        string parameters = $"({Parameters()}){Reference()}{exceptions}";
        Expect('E');
        return result.Open() with { After = parameters + result.After, IsFunction = true };
    }

    private Part Array()
    {
        Expect('A');
        string length = Next == '_' ? "" : Number().ToString(CultureInfo.InvariantCulture);
        Expect('_');
        Part element = Type();
        return element.Open() with { After = $"[{length}]{element.After}", IsArray = true };
    }

    /// <summary>Reads a type that contains a pack of template arguments, once for each of them.</summary>
    private Part Expansion()
    {
        (int outerIndex, int outerLength, int start) = (_packIndex, _packLength, At);
        (_packIndex, _packLength) = (0, -1);
        var types = new List<Part> { Type() };
        Check(_packLength >= 0);
        (int count, int length) = (_substitutions.Count, _packLength);
        for (_packIndex = 1; _packIndex < length && !HasFailed; _packIndex++)
        {
            At = start;
            types.Add(Type());
            _substitutions.RemoveRange(count, Math.Max(_substitutions.Count - count, 0));
        }

        (_packIndex, _packLength) = (outerIndex, outerLength);
        return Part.None with { Pack = [.. types.Take(length).Select(type => type with { HasPack = false })], HasPack = true };
    }

    /// <summary>A name, or a type: the text before and after a declared name, such as <c>void (*</c> and <c>)(int)</c>.</summary>
    private readonly record struct Part(string Before)
    {
        public static readonly Part None = new("");

        public string After { get; init; } = "";

        /// <summary>The last name without template arguments, which is that of constructors.</summary>
        public string Last { get; init; } = "";

        /// <summary>Whether it ends with template arguments.</summary>
        public bool IsInstance { get; init; }

        /// <summary>Whether it is a constructor, destructor or conversion, which has no result.</summary>
        public bool IsSpecial { get; init; }

        public bool IsFunction { get; init; }

        public bool IsArray { get; init; }

        /// <summary>The arguments of a pack; null if it is a single one.</summary>
        public Part[]? Pack { get; init; }

        /// <summary>Whether it contains an argument of a pack.</summary>
        public bool HasPack { get; init; }

        public string Text => Before + After;

        public Part Open() => this with { Before = Before + (After.Length > 0 ? "" : " ") };

        public Part Pointer(string sign) => this with
        {
            Before = Before + (IsFunction || IsArray ? "(" : "") + sign,
            After = (IsArray ? ") " : IsFunction ? ")" : "") + After,
            IsFunction = false,
            IsArray = false,
        };
    }
}
