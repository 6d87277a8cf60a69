namespace Picollo.Scheduling;

/// <summary>Creates the names of tasks that were submitted without a name.</summary>
internal static class BodyName
{
    /// <summary>Returns the type and method of a body. For a lambda expression, the method is the one that contains it; for a local
    /// function, it is the local function.</summary>
    /// <remarks>Takes one or two microseconds, so it is called only for tasks that are reported. Works in trimmed and AOT-compiled
    /// applications, unless their stack trace data is removed.</remarks>
    public static string FromDelegate(Delegate body)
    {
        if (DiagnosticMethodInfo.Create(body) is not { } method)
        {
            return "(unknown)";
        }

        string type = Type(method.DeclaringTypeName ?? "");
        string name = Method(method.Name);
        return type.Length == 0 ? name : $"{type}.{name}";
    }

    // For example, Namespace.Outer`1+Inner+<>c__DisplayClass0_0 and Namespace.Outer`1+Inner+<Run>d__1 become Inner.
    private static string Type(string name)
    {
        int generated = name.IndexOf("+<", StringComparison.Ordinal);
        name = generated < 0 ? name : name[..generated];
        name = name[(name.LastIndexOfAny(['.', '+']) + 1)..];
        int arity = name.IndexOf('`', StringComparison.Ordinal);
        return arity < 0 ? name : name[..arity];
    }

    // <Run>b__0_1 is a lambda expression in Run, <Run>g__Local|0_1 a local function, and <Main>$ top-level code.
    private static string Method(string name)
    {
        int local = name.LastIndexOf(">g__", StringComparison.Ordinal);
        if (local >= 0)
        {
            name = name[(local + 4)..];
            int end = name.IndexOf('|', StringComparison.Ordinal);
            return end < 0 ? name : name[..end];
        }

        int lambda = name.LastIndexOf(">b__", StringComparison.Ordinal);
        name = lambda < 0 ? name : name[..lambda];
        return name.Trim('<', '>', '$');
    }
}
