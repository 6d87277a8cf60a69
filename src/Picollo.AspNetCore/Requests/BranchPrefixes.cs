using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Builder.Extensions;
using Microsoft.AspNetCore.Http;

namespace Picollo.AspNetCore.Requests;

/// <summary>The literal prefixes of the <c>Map</c> branches of a pipeline, such as <c>/admin</c> and <c>/admin/reports</c>.</summary>
/// <remarks>A route inside a branch has a pattern without the prefix. At run time only <see cref="HttpRequest.PathBase"/> shows what
/// the branch consumed, and an application may also set it from request data, such as a tenant's name. Rows must not come from request
/// data, so the literals are read from the pipeline itself, once: a pipeline is a chain of delegates whose targets hold the next one in a
/// field. Where the fields are gone (trimming), or a middleware builds its pipeline later, no prefix is found, and the row is the pattern
/// alone.</remarks>
internal sealed class BranchPrefixes
{
    private const BindingFlags Fields = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    private readonly Dictionary<string, string> _literals = new(StringComparer.OrdinalIgnoreCase);

    private BranchPrefixes()
    {
    }

    /// <summary>The prefixes of the branches after a point of a pipeline.</summary>
    public static BranchPrefixes Of(RequestDelegate next)
    {
        BranchPrefixes prefixes = new();
        prefixes.Add(next, "", new HashSet<object>(ReferenceEqualityComparer.Instance));
        return prefixes;
    }

    /// <summary>The prefix as the application has written it.</summary>
    /// <param name="consumed">What was added to the request's base path, in any letters.</param>
    /// <returns>Empty if no branch has this prefix.</returns>
    public string Find(string consumed) => consumed.Length > 0 && _literals.TryGetValue(consumed, out string? literal) ? literal : "";

    /// <summary>The longest prefix of a path.</summary>
    /// <returns>Empty if the path begins with none.</returns>
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
        // Pipelines that several branches share are found by the first.
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

    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "See the remarks: without its fields, a part has no prefixes.")]
    private static IEnumerable<object> PartsOf(object part) => part.GetType().GetFields(Fields)
        .Where(field => IsPart(field.FieldType))
        .Select(field => field.GetValue(part))
        .OfType<object>();

    // Delegates, the framework's options of branches, and what the compiler makes of captured variables.
    private static bool IsPart(Type type) =>
        type.IsSubclassOf(typeof(Delegate)) || type == typeof(MapOptions) || type == typeof(MapWhenOptions)
        || type.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false);
}
