using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Builder.Extensions;

namespace Picollo.AspNetCore.Measuring;

/// <summary>The literal prefixes of the <c>Map</c> branches of a pipeline, such as <c>/admin</c> and <c>/admin/reports</c>.</summary>
/// <remarks>The pattern of a route inside a branch does not contain the prefix. At run time only <see cref="HttpRequest.PathBase"/> shows
/// the prefix, but an application may also set it from request data, such as a tenant's name. Rows must not depend on request data.
/// Therefore, the literals are read once from the pipeline itself, which is a chain of delegates whose targets store the next one in a
/// field. If the fields were trimmed, or a middleware builds its pipeline later, no prefix is found, and the row has only the pattern. The
/// path of <c>UsePathBase</c> is not part of a prefix, because it depends on the deployment.</remarks>
internal sealed class BranchPrefixes
{
    private const BindingFlags Fields = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    // Bounds the combinations of several UsePathBase calls. Find also recognizes a prefix after a base path that is not listed.
    private const int MaxBases = 16;

    // The prefix by the text that the branch and its base paths remove from the path.
    private readonly Dictionary<string, string> _literals = new(StringComparer.OrdinalIgnoreCase);

    private BranchPrefixes()
    {
    }

    public static BranchPrefixes FromPipeline(RequestDelegate next)
    {
        BranchPrefixes prefixes = new();
        prefixes.Add(next, [""], "", new HashSet<object>(ReferenceEqualityComparer.Instance));
        return prefixes;
    }

    /// <param name="consumed">The text that was added to the request's base path, in any letter case. It can start with a base path from
    /// request data.</param>
    /// <returns>The prefix in the letter case of the application's code; empty if no branch has this prefix.</returns>
    public string Find(string consumed)
    {
        var literals = _literals.GetAlternateLookup<ReadOnlySpan<char>>();
        for (int start = 0; start >= 0 && start < consumed.Length; start = consumed.IndexOf('/', start + 1))
        {
            if (literals.TryGetValue(consumed.AsSpan(start), out string? literal))
            {
                return literal;
            }
        }

        return "";
    }

    /// <summary>Finds the longest prefix that a path starts with; empty if it starts with none.</summary>
    public string FindIn(PathString path)
    {
        (string Consumed, string Literal) longest = ("", "");
        foreach ((string consumed, string literal) in _literals)
        {
            if (consumed.Length > longest.Consumed.Length && path.StartsWithSegments(consumed, StringComparison.OrdinalIgnoreCase))
            {
                longest = (consumed, literal);
            }
        }

        return longest.Literal;
    }

    // The consumed texts can have been removed from the path of a request that reaches the part.
    private void Add(object part, IReadOnlyList<string> consumed, string prefix, HashSet<object> seen)
    {
        // A pipeline that several branches share is searched only once.
        if (!seen.Add(part))
        {
            return;
        }

        switch (part)
        {
            case Delegate { Target: { } target }:
                Add(target, consumed, prefix, seen);
                break;
            case MapOptions { Branch: { } branch } map:
                Add(branch, Extend(map.PathMatch.Value!, prefix + map.PathMatch.Value), prefix + map.PathMatch.Value, seen);
                break;
            case not Delegate:
                if (part is UsePathBaseMiddleware && BaseOf(part) is { Length: > 0 } path)
                {
                    consumed = [.. consumed.Concat(Extend(path, prefix)).Take(MaxBases)];
                }

                foreach (object value in PartsOf(part))
                {
                    Add(value, consumed, prefix, seen);
                }

                break;
        }

        // A text that is already known belongs to an earlier part of the pipeline, which removes it first.
        string[] Extend(string path, string literal)
        {
            string[] extended = [.. consumed.Select(before => before + path)];
            foreach (string text in extended)
            {
                _literals.TryAdd(text, literal);
            }

            return extended;
        }
    }

    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "If the field was trimmed, the base path is not known.")]
    private static string? BaseOf(object middleware) => middleware.GetType().GetFields(Fields)
        .Where(field => field.FieldType == typeof(PathString))
        .Select(field => ((PathString)field.GetValue(middleware)!).Value)
        .FirstOrDefault();

    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "If the fields were trimmed, no prefix is found: see remarks.")]
    private static IEnumerable<object> PartsOf(object part) => part.GetType().GetFields(Fields)
        .Where(field => IsPart(field.FieldType))
        .Select(field => field.GetValue(part))
        .OfType<object>();

    // Delegates, the framework's options of branches, and the compiler's classes for captured variables.
    private static bool IsPart(Type type) =>
        type.IsSubclassOf(typeof(Delegate)) || type == typeof(MapOptions) || type == typeof(MapWhenOptions)
        || type.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false);
}
