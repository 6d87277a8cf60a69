namespace Picollo.Profiling.Symbols;

/// <summary>Converts the runtime's names of methods to source names: <c>Namespace.Type.Method</c>, with generic arguments in angle
/// brackets. Code that the C# compiler generates for async methods, iterators, lambdas and local functions gets the name of its
/// source.</summary>
/// <remarks>The runtime writes <c>App.Outer`1+Inner`1[System.Int32,System.__Canon]::Method</c>. The names of the compiler are those of
/// GeneratedNames.cs of Roslyn: <c>&lt;Work&gt;d__3</c> is the state machine of <c>Work</c>, <c>&lt;Main&gt;b__0_1</c> a lambda in
/// <c>Main</c>, <c>&lt;Main&gt;g__Local|0_2</c> a local function; <c>&lt;&gt;c</c> and <c>&lt;&gt;c__DisplayClass0_0</c> contain
/// them.</remarks>
internal static class MethodNames
{
    /// <summary>The maximum length of a name. Longer names are truncated, because any program may have written the perf map.</summary>
    public const int MaxLength = 2000;

    private const int MaxNesting = 50;

    private static readonly Dictionary<string, string> Keywords = new()
    {
        ["System.Boolean"] = "bool",
        ["System.Byte"] = "byte",
        ["System.SByte"] = "sbyte",
        ["System.Char"] = "char",
        ["System.Int16"] = "short",
        ["System.UInt16"] = "ushort",
        ["System.Int32"] = "int",
        ["System.UInt32"] = "uint",
        ["System.Int64"] = "long",
        ["System.UInt64"] = "ulong",
        ["System.Single"] = "float",
        ["System.Double"] = "double",
        ["System.Decimal"] = "decimal",
        ["System.String"] = "string",
        ["System.Object"] = "object",
        ["System.Void"] = "void",
        ["System.IntPtr"] = "nint",
        ["System.UIntPtr"] = "nuint",
        ["System.__Canon"] = "__Canon",
    };

    /// <summary>Returns the source name of a type, <c>::</c>, and a method. Text in brackets after the method is ignored.</summary>
    public static string Format(string rawName)
    {
        rawName = rawName.Length > MaxLength ? rawName[..MaxLength] : rawName;
        int separator = rawName.IndexOf("::", StringComparison.Ordinal);
        if (separator <= 0)
        {
            return rawName;
        }

        string method = rawName[(separator + 2)..];
        int arguments = method.IndexOf('[', StringComparison.Ordinal);
        method = arguments > 0 ? method[..arguments] : method;
        List<string> names = TypeNames(new TypeText(rawName[..separator]), out bool isStateMachine);
        names.AddRange(isStateMachine && method == "MoveNext" ? [] : MemberNames(method));
        return string.Join('.', names).Replace("\\", "", StringComparison.Ordinal); // the runtime's escapes
    }

    // If the innermost type is the state machine of a method, the name of the method is the last one.
    private static List<string> TypeNames(TypeText text, out bool isStateMachine, int nesting = 0)
    {
        string[] nested = TypeText.SplitNested(text.ReadName());
        var arguments = new Queue<string>(ReadArguments(text, nesting));
        var names = new List<string>();
        isStateMachine = false;
        foreach (string segment in nested)
        {
            (string name, int arity) = TypeText.SplitArity(segment);
            string[] own = [.. Enumerable.Range(0, Math.Min(arity, arguments.Count)).Select(_ => arguments.Dequeue())];
            isStateMachine = IsStateMachine(name);
            if (isStateMachine)
            {
                names.AddRange(MemberNames(name[1..name.LastIndexOf('>')].Replace('-', '.'))); // types have dashes for dots
            }
            else if (name != "<>c" && !name.StartsWith("<>c__DisplayClass", StringComparison.Ordinal))
            {
                names.Add(own.Length > 0 ? $"{name}<{string.Join(", ", own)}>" : name);
            }
        }

        return names;
    }

    private static List<string> ReadArguments(TypeText text, int nesting)
    {
        var arguments = new List<string>();
        if (!text.TryReadArgumentsStart() || nesting == MaxNesting)
        {
            return arguments;
        }

        do
        {
            string name = string.Join('.', TypeNames(text, out _, nesting + 1));
            arguments.Add(Keywords.GetValueOrDefault(name, name) + text.ReadSuffixes());
        }
        while (text.TryReadComma());
        text.ReadArgumentsEnd();
        return arguments;
    }

    // <Work>d__3, <Work>d, and for an async lambda <<Main>b__0>d.
    private static bool IsStateMachine(string name) =>
        name.StartsWith('<') && name.LastIndexOf('>') is > 1 and var end
        && (name.AsSpan(end + 1) is "d" || name.AsSpan(end + 1).StartsWith("d__"));

    /// <summary>Returns the name of a member, after the name of the method that contains it.</summary>
    private static IEnumerable<string> MemberNames(string name)
    {
        int end = name.StartsWith('<') ? name.LastIndexOf('>') : -1;
        if (end <= 1)
        {
            return [name];
        }

        string outer = name[1..end];
        string rest = name[(end + 1)..];
        return rest switch
        {
            "$" or "" => [outer], // the compiler's entry point, for top-level statements or an async Main
            ['b', '_', '_', .. string ordinals] => [.. MemberNames(outer), $"lambda_{ordinals[(ordinals.LastIndexOf('_') + 1)..]}"],
            ['g', '_', '_', .. string local] => [.. MemberNames(outer), local.Split('|')[0]],
            _ => [name],
        };
    }

    /// <summary>Reads the name of a type from left to right.</summary>
    private sealed class TypeText(string text)
    {
        private int _next;

        private char Next => _next < text.Length ? text[_next] : '\0';

        /// <summary>Reads the name up to its arguments or suffixes. Text in angle brackets, as for an explicit implementation, is part of
        /// the name.</summary>
        public string ReadName()
        {
            int start = _next;
            for (int depth = 0; _next < text.Length && (depth > 0 || Next is not ('[' or ']' or ',' or '&' or '*')); _next++)
            {
                depth += Next == '<' ? 1 : Next == '>' ? -1 : 0;
            }

            return text[start.._next];
        }

        public bool TryReadArgumentsStart()
        {
            bool isStart = Next == '[' && _next + 1 < text.Length && text[_next + 1] is not (']' or ',' or '*');
            _next += isStart ? 1 : 0;
            return isStart;
        }

        public bool TryReadComma()
        {
            bool isComma = Next == ',';
            _next += isComma ? 1 : 0;
            return isComma;
        }

        public void ReadArgumentsEnd() => _next += Next == ']' ? 1 : 0;

        /// <summary>Reads suffixes such as <c>[]</c>, <c>[,]</c> and <c>*</c>.</summary>
        public string ReadSuffixes()
        {
            int start = _next;
            while (Next is '[' or '*' or '&')
            {
                int end = Next == '[' ? text.IndexOf(']', _next) : _next;
                if (end < 0)
                {
                    break;
                }

                _next = end + 1;
            }

            return text[start.._next];
        }

        public static string[] SplitNested(string name)
        {
            var parts = new List<string>();
            int start = 0;
            for (int i = 0, depth = 0; i < name.Length; i++)
            {
                depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
                if (name[i] == '+' && depth <= 0)
                {
                    parts.Add(name[start..i]);
                    start = i + 1;
                }
            }

            return [.. parts, name[start..]];
        }

        public static (string Name, int Arity) SplitArity(string segment)
        {
            int mark = segment.LastIndexOf('`');
            return mark > 0 && int.TryParse(segment.AsSpan(mark + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int arity)
                ? (segment[..mark], arity)
                : (segment, 0);
        }
    }
}
