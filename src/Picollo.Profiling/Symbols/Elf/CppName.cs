namespace Picollo.Profiling.Symbols;

/// <summary>Demangles names of C++ functions (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling) without parameters and result,
/// as <c>c++filt --no-params</c> does. Names with expressions are not demangled, except addresses of functions.</summary>
internal sealed partial class CppName : SymbolName
{
    private static readonly Dictionary<string, string> Operators = Pairs(
        "nw  new;na  new[];dl  delete;da  delete[];aw  co_await;ps +;pl +;ng -;mi -;ad &;an &;de *;ml *;co ~;dv /;rm %;or |;eo ^;aS =;"
        + "pL +=;mI -=;mL *=;dV /=;rM %=;aN &=;oR |=;eO ^=;ls <<;rs >>;lS <<=;rS >>=;eq ==;ne !=;lt <;gt >;le <=;ge >=;ss <=>;nt !;"
        + "aa &&;oo ||;pp ++;mm --;cm ,;pm ->*;pt ->;cl ();ix []");

    private static readonly Dictionary<string, string> Abbreviations = Pairs(
        "a allocator;b basic_string;s basic_string<char, std::char_traits<char>, std::allocator<char> >;"
        + "i basic_istream<char, std::char_traits<char> >;o basic_ostream<char, std::char_traits<char> >;"
        + "d basic_iostream<char, std::char_traits<char> >");

    private readonly List<Part> _substitutions = [];
    private Part[] _arguments = []; // of the function template
    private int _packIndex = -1;
    private int _packLength;
    private bool _isLambda;

    private CppName(string symbol)
        : base(symbol)
    {
    }

    /// <summary>Returns the name; null if the symbol is not a function of C++, or cannot be demangled.</summary>
    public static string? TryDemangle(string symbol)
    {
        if (!symbol.StartsWith("_Z", StringComparison.Ordinal) || !Ascii.IsValid(symbol))
        {
            return null;
        }

        var parser = new CppName(symbol);
        string name = parser.Next == 'T' ? parser.Thunk() : parser.Name(isFunction: true).Before;
        return parser.HasFailed || name.Length == 0 ? null : name;
    }

    private string Thunk()
    {
        bool isVirtual = Take("Tv");
        Check(isVirtual || Take("Th"));
        for (int offsets = isVirtual ? 2 : 1; offsets > 0; offsets--)
        {
            _ = Take("n"); // negative
            _ = Number();
            Expect('_');
        }

        return (isVirtual ? "virtual thunk to " : "non-virtual thunk to ") + Encoding(hasParameters: true);
    }

    /// <summary>Reads a function with its parameters, or a variable.</summary>
    private string Encoding(bool hasParameters)
    {
        Part[] outer = _arguments;
        Part name = Name(isFunction: true);
        string parameters = "";
        if (Next is not ('E' or '.' or '\0'))
        {
            _ = name is { IsInstance: true, IsSpecial: false } ? Type() : default; // the result of a function template
            parameters = $"({Parameters()}){name.After}";
        }

        _arguments = outer;
        return Limit(name.Before + (hasParameters ? parameters : ""));
    }

    /// <param name="isFunction">Whether it is a function, to whose template arguments later types refer.</param>
    private Part Name(bool isFunction)
    {
        if (!Enter())
        {
            return Part.None;
        }

        Part name;
        if (Take("N"))
        {
            name = Nested(isFunction);
        }
        else if (Take("Z"))
        {
            string function = Encoding(hasParameters: true);
            Expect('E');
            name = Name(isFunction);
            name = name with { Before = Limit($"{function}::{name.Before}") };
            if (Take("_") && (Take("_") || true))
            {
                _ = Number(); // functions can have several such names
                _ = Text[At - 1] == '_' || Take("_");
            }
        }
        else
        {
            bool isKnown = Next == 'S' && !Is("St");
            name = isKnown ? Substitution() : Unqualified(Take("St") ? "std::" : "", "");
            name = Next == 'I' ? Instance(name, isKnown, isFunction) : name;
        }

        Leave();
        return name;
    }

    /// <summary>Reads a name in a namespace or class. It ends with the qualifiers of a member function, such as <c>const</c>.</summary>
    private Part Nested(bool isFunction)
    {
        string qualifiers = Qualifiers() + Reference();
        Part name = Part.None;
        bool isKnown = true;
        while (!HasFailed && !Take("E"))
        {
            bool isFirst = name.Before.Length == 0;
            if (Next == 'S' && isFirst)
            {
                (name, isKnown) = (Take("St") ? new Part("std") : Substitution(), true);
                continue;
            }

            Remember(isKnown, name);
            name = Next == 'T' && isFirst ? TemplateParameter()
                : Next == 'I' ? Instance(name, isKnown: true, isFunction)
                : Unqualified(isFirst ? "" : name.Text + "::", name.Last);
            isKnown = false;
        }

        return name with { After = qualifiers };
    }

    /// <summary>Reads a name without its namespace or class.</summary>
    /// <param name="scope">The namespace or class, and <c>::</c>.</param>
    /// <param name="type">The last name of the class.</param>
    private Part Unqualified(string scope, string type)
    {
        _ = Take("L"); // internal linkage
        bool isStructor = Next is 'C' or 'D';
        bool isSpecial = isStructor || Is("cv");
        string name;
        if (isStructor)
        {
            name = (Next == 'D' ? "~" : "") + type;
            At++;
            Check(type.Length > 0 && Next is >= '0' and <= '5');
            At++;
        }
        else if (Take("Ut"))
        {
            name = $"{{unnamed type#{Ordinal()}}}";
        }
        else if (Take("Ul"))
        {
            (bool outer, _isLambda) = (_isLambda, true);
            string parameters = Parameters();
            _isLambda = outer;
            Expect('E');
            name = $"{{lambda({parameters})#{Ordinal()}}}";
        }
        else
        {
            name = char.IsAsciiDigit(Next) ? Identifier() : "operator" + Operator();
        }

        string last = name;
        while (Take("B"))
        {
            name += $"[abi:{Identifier()}]";
        }

        return new Part(Limit(scope + name)) { Last = last, IsSpecial = isSpecial };
    }

    private string Operator()
    {
        if (Take("cv"))
        {
            (Part[] outer, _arguments) = (_arguments, []); // those of a template follow its name
            string type = Type().Text;
            _arguments = outer;
            return " " + type;
        }

        string? name = null;
        Check(At + 2 <= Text.Length && Operators.TryGetValue(Text.Substring(At, 2), out name));
        At += 2;
        return name ?? "";
    }

    private string Identifier()
    {
        int length = Number();
        Check(length > 0 && length <= Text.Length - At);
        string name = HasFailed ? "" : Text.Substring(At, length);
        At += length;
        return name.StartsWith("_GLOBAL__N_", StringComparison.Ordinal) ? "(anonymous namespace)" : name;
    }

    private Part Substitution()
    {
        Expect('S');
        if (Abbreviations.TryGetValue(Next.ToString(), out string? name))
        {
            At++;
            return new Part("std::" + name) { Last = name.Split('<')[0] };
        }

        int index = 0;
        for (int digits = 0; Next != '_' && !HasFailed; digits++, At++)
        {
            Check(digits < 4 && (char.IsAsciiDigit(Next) || char.IsAsciiLetterUpper(Next)));
            index = (digits == 0 ? 1 : 0) + (index * 36) + (Next <= '9' ? Next - '0' : Next - 'A' + 10);
        }

        Expect('_');
        Check(!HasFailed && index < _substitutions.Count && !_substitutions[index].HasPack);
        return HasFailed ? Part.None : _substitutions[index];
    }

    private Part TemplateParameter()
    {
        Expect('T');
        int index = Next == '_' ? 0 : Number() + 1;
        Expect('_');
        if (_isLambda)
        {
            return new Part($"auto:{index + 1}");
        }

        Check(index < _arguments.Length);
        if (HasFailed || _arguments[index].Pack is not { } pack)
        {
            return HasFailed ? Part.None : _arguments[index];
        }

        Check(_packIndex >= 0);
        _packLength = pack.Length;
        return (_packIndex >= 0 && _packIndex < pack.Length ? pack[_packIndex] : Part.None) with { HasPack = true };
    }

    private string Qualifiers()
    {
        bool isRestricted = Take("r"), isVolatile = Take("V"), isConstant = Take("K");
        return (isConstant ? " const" : "") + (isVolatile ? " volatile" : "") + (isRestricted ? " restrict" : "");
    }

    private string Reference() => Take("R") ? " &" : Take("O") ? " &&" : "";

    /// <summary>Reads the number of a lambda or of an unnamed type: the first has none.</summary>
    private int Ordinal()
    {
        int number = Next == '_' ? 1 : Number() + 2;
        Expect('_');
        return number;
    }

    private int Number()
    {
        int number = 0;
        int start = At;
        for (; char.IsAsciiDigit(Next); At++)
        {
            number = (Math.Min(number, int.MaxValue / 20) * 10) + Next - '0';
        }

        Check(At > start);
        return number;
    }

    private void Remember(bool isKnown, Part part) => _substitutions.AddRange(isKnown || HasFailed ? [] : [part]);

    private static IEnumerable<Part> Flat(IEnumerable<Part> parts) => parts.SelectMany(part => part.Pack ?? [part]);

    private string Join(IEnumerable<Part> parts) => Join(", ", Flat(parts).Select(part => part.Text));
}
