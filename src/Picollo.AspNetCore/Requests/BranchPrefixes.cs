using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Builder.Extensions;
using Microsoft.AspNetCore.Http;

namespace Picollo.AspNetCore.Requests;

/// <summary>The literal prefixes of the <c>Map</c> branches of a pipeline, such as <c>/admin</c> and <c>/admin/reports</c>.</summary>
/// <remarks>The pattern of a route inside a branch does not contain the prefix. At run time only <see cref="HttpRequest.PathBase"/> shows
/// the prefix, but an application may also set it from request data, such as a tenant's name. Rows must not depend on request data.
/// Therefore, the literals are read once from the pipeline itself, which is a chain of delegates whose targets store the next one in a
/// field. If the fields were trimmed, or a middleware builds its pipeline later, no prefix is found, and the row has only the
/// pattern.</remarks>
internal sealed class BranchPrefixes
{
    private const BindingFlags Fields = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    private readonly Dictionary<string, string> _literals = new(StringComparer.OrdinalIgnoreCase);

    private BranchPrefixes()
    {
    }

    /// <summary>Finds the prefixes of the branches that follow in a pipeline.</summary>
    public static BranchPrefixes Of(RequestDelegate next)
    {
        BranchPrefixes prefixes = new();
        prefixes.Add(next, "", new HashSet<object>(ReferenceEqualityComparer.Instance));
        return prefixes;
    }

    /// <summary>Finds a prefix.</summary>
    /// <param name="consumed">The text that was added to the request's base path, in any letter case.</param>
    /// <returns>The prefix in the letter case of the application's code; empty if no branch has this prefix.</returns>
    public string Find(string consumed) => consumed.Length > 0 && _literals.TryGetValue(consumed, out string? literal) ? literal : "";

    /// <summary>Finds the longest prefix that a path starts with.</summary>
    /// <returns>The prefix; empty if the path starts with no prefix.</returns>
    public string FindIn(PathString path)
    {
        string longest = "";
        foreach (string literal in _literals.Values)
        {
            if (literal.Length > longest.Length && path.StartsWithSegments(literal, StringComparison.OrdinalIgnoreCase))
            {
                longest = literal;
            }
        }

        return longest;
    }

    private void Add(object part, string prefix, HashSet<object> seen)
    {
        // A pipeline that several branches share is searched only once.
        if (!seen.Add(part))
        {
            return;
        }

        switch (part)
        {
            case Delegate { Target: { } target }:
                Add(target, prefix, seen);
                break;
            case MapOptions { Branch: { } branch } map:
                string inner = prefix + map.PathMatch.Value;
                _literals.TryAdd(inner, inner);
                Add(branch, inner, seen);
                break;
            case not Delegate:
                foreach (object value in PartsOf(part))
                {
                    Add(value, prefix, seen);
                }

                break;
        }
    }

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
