using System.Reflection;
using System.Runtime.CompilerServices;
using Picollo.AspNetCore;
using Picollo.BenchmarkDotNet;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Metrics;
using Picollo.Profiling;
using Picollo.Scheduling;

namespace Picollo.Tests.Conventions;

/// <summary>The public API of the libraries: public types and their members, including generated members, such as those of
/// records.</summary>
internal static class PublicSurface
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    /// <summary>The assemblies, one for each package.</summary>
    public static IReadOnlyList<Assembly> Assemblies { get; } =
    [
        typeof(HdrHistogram).Assembly, typeof(HdrHistogramMerger).Assembly, typeof(CommandMeter).Assembly, typeof(CpuWorkerPool).Assembly,
        typeof(PicolloOptions).Assembly, typeof(PicolloMeasure).Assembly, typeof(CpuProfile).Assembly,
    ];

    public static IReadOnlyList<Type> Types { get; } =
    [
        .. Assemblies.SelectMany(assembly => assembly.GetExportedTypes())
            .Where(type => !type.FullName!.Contains('<', StringComparison.Ordinal)) // the markers of extension blocks
            .OrderBy(type => type.FullName, StringComparer.Ordinal),
    ];

    public static IEnumerable<MemberInfo> MembersOf(Type type) => type.GetMembers(Declared)
        .Where(member => IsVisible(member) && member is not Type && !IsHidden(member, type))
        .OrderBy(member => member.MemberType)
        .ThenBy(member => member.Name, StringComparer.Ordinal)
        .ThenBy(member => member.ToString(), StringComparer.Ordinal);

    public static bool IsVisible(MethodBase? method) => method is { IsPublic: true } or { IsFamily: true } or { IsFamilyOrAssembly: true };

    private static bool IsVisible(MemberInfo member) => member switch
    {
        FieldInfo field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly,
        MethodBase method => IsVisible(method),
        PropertyInfo property => property.GetAccessors(nonPublic: true).Any(IsVisible),
        EventInfo @event => IsVisible(@event.AddMethod),
        _ => false,
    };

    // Accessors are listed with their property or event. Code cannot use an enum's value field and members with angle brackets in their
    // names.
    private static bool IsHidden(MemberInfo member, Type type) =>
        (member is MethodInfo { IsSpecialName: true } method && IsAccessor(method, type))
        || member.Name.Contains('<', StringComparison.Ordinal)
        || member is FieldInfo { IsSpecialName: true }
        || (typeof(Delegate).IsAssignableFrom(type) && member.Name != "Invoke");

    private static bool IsAccessor(MethodInfo method, Type type) =>
        type.GetProperties(Declared).Any(property => property.GetAccessors(nonPublic: true).Contains(method))
        || type.GetEvents(Declared).Any(@event => @event.AddMethod == method || @event.RemoveMethod == method);
}
