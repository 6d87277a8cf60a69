using System.Reflection;
using System.Reflection.Emit;
using System.Text.RegularExpressions;

namespace Picollo.Tests.Conventions;

/// <summary>Dependencies between packages, and between the folders of the core, have one direction.</summary>
public partial class DependencyTests
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly string[] Core = ["Interop", "Timing", "Metrics", "Cpu", "PerfEvent"];

    /// <summary>The parts that each part may use, in addition to itself and the types of the namespace Picollo. A part of the core is a
    /// namespace; any other part is a package.</summary>
    private static readonly Dictionary<string, string[]> Allowed = new()
    {
        [""] = ["Cpu"], // only CpuUtils; the other types of this namespace use no part
        ["Interop"] = [],
        ["Analyzers"] = [],
        ["Analyzers.CodeFixes"] = ["Analyzers"],
        ["Timing"] = ["Interop"],
        ["Metrics"] = ["Timing"],
        ["Cpu"] = ["Timing", "Interop"],
        ["PerfEvent"] = ["Metrics", "Cpu", "Timing", "Interop"],
        ["Export"] = Core,
        ["Diagnostics"] = [.. Core, "Export"],
        ["Profiling"] = [.. Core, "Export"],
        ["Scheduling"] = Core,
        ["AspNetCore"] = [.. Core, "Export", "Scheduling", "Diagnostics", "Profiling"],
        ["BenchmarkDotNet"] = [.. Core, "Export"],
        ["Cli"] = [.. Core, "Export", "Diagnostics", "Profiling"],
    };

    private static readonly Dictionary<short, OpCode> OpCodeOf =
        typeof(OpCodes).GetFields().Select(field => (OpCode)field.GetValue(null)!).ToDictionary(code => code.Value);

    private static readonly Assembly[] Assemblies = [.. PublicSurface.Assemblies, Assembly.Load("Picollo.Cli")];

    [Fact]
    public void Every_type_uses_only_what_its_part_may_use()
    {
        IEnumerable<string> offenders = Assemblies.SelectMany(assembly => assembly.GetTypes())
            .SelectMany(type => UsedBy(type).SelectMany(Parts)
                .Where(used => !IsAllowed(PartOf(type), used.Part))
                .Select(used => $"{type} uses {used.Type}"));

        offenders.Distinct().Should().BeEmpty();
    }

    [Fact]
    public void Every_file_imports_only_what_its_part_may_use()
    {
        string source = Path.Combine(Repository.Root, "src");
        IEnumerable<string> offenders = Directory.EnumerateFiles(source, "*.cs", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(source, path).Replace('\\', '/'))
            .Where(path => !path.Contains("/obj/", StringComparison.Ordinal))
            .SelectMany(path => Import().Matches(File.ReadAllText(Path.Combine(source, path)))
                .Select(import => import.Groups["name"].Value)
                .Where(imported => !IsAllowed(PartOfFile(path), PartOfNamespace(imported)))
                .Select(imported => $"{path} imports {imported}"));

        offenders.Should().BeEmpty();
    }

    [Fact]
    public void Only_the_interop_layer_declares_platform_invokes()
    {
        MethodInfo[] declarations = [.. Assemblies.SelectMany(assembly => assembly.GetTypes()).SelectMany(type => type.GetMethods(Declared))
            .Where(method => method.Attributes.HasFlag(MethodAttributes.PinvokeImpl))];
        IEnumerable<string> offenders = declarations
            .Where(method => PartOf(method.DeclaringType!) != "Interop")
            .Select(method => $"{method.DeclaringType} declares {method.Name}");

        declarations.Should().NotBeEmpty();
        offenders.Should().BeEmpty();
    }

    private static bool IsAllowed(string part, string used) => used.Length == 0 || used == part || Allowed[part].Contains(used);

    private static string PartOf(Type type) => type.Assembly.GetName().Name == "Picollo"
        ? PartOfNamespace(type.Namespace ?? "Picollo")
        : type.Assembly.GetName().Name!["Picollo.".Length..];

    private static string PartOfNamespace(string name) => name.Split('.') is [_, var part, ..] ? part : "";

    private static string PartOfFile(string path) => path.Split('/') switch
    {
        ["Picollo", var folder, _, ..] => folder,
        ["Picollo", _] => "",
        [var package, ..] => package["Picollo.".Length..],
        [] => throw new ArgumentException("The path has no part.", nameof(path)),
    };

    private static IEnumerable<(Type Type, string Part)> Parts(Type type) =>
        type.HasElementType ? Parts(type.GetElementType()!)
        : type.IsFunctionPointer ? type.GetFunctionPointerParameterTypes().Append(type.GetFunctionPointerReturnType()).SelectMany(Parts)
        : type.GetGenericArguments().SelectMany(Parts)
            .Concat(Array.Exists(Assemblies, assembly => assembly == type.Assembly) ? [(type, PartOf(type))] : []);

    private static IEnumerable<Type> UsedBy(Type type) =>
    [
        .. new[] { type.BaseType }.OfType<Type>(), .. type.GetInterfaces(), .. type.GetFields(Declared).Select(field => field.FieldType),
        .. Constraints(type.GetGenericArguments()), .. Attributes(type),
        .. type.GetMethods(Declared).Cast<MethodBase>().Concat(type.GetConstructors(Declared)).SelectMany(UsedBy),
    ];

    private static IEnumerable<Type> UsedBy(MethodBase method) =>
    [
        .. method.GetParameters().Select(parameter => parameter.ParameterType), (method as MethodInfo)?.ReturnType ?? typeof(void),
        .. method.IsGenericMethod ? Constraints(method.GetGenericArguments()) : [], .. Attributes(method),
        .. method.GetMethodBody() is { } body
            ? [.. body.LocalVariables.Select(local => local.LocalType), .. Caught(body), .. UsedIn(body.GetILAsByteArray()!, method)]
            : Array.Empty<Type>(),
    ];

    private static IEnumerable<Type> Constraints(Type[] parameters) =>
        parameters.Where(parameter => parameter.IsGenericParameter).SelectMany(parameter => parameter.GetGenericParameterConstraints());

    private static IEnumerable<Type> Attributes(MemberInfo member) => member.GetCustomAttributesData().SelectMany(attribute =>
        attribute.ConstructorArguments.Select(argument => argument.Value).OfType<Type>().Prepend(attribute.AttributeType));

    private static IEnumerable<Type> Caught(MethodBody body) => body.ExceptionHandlingClauses
        .Where(clause => clause.Flags == ExceptionHandlingClauseOptions.Clause)
        .Select(clause => clause.CatchType!);

    private static IEnumerable<Type> UsedIn(byte[] code, MethodBase method)
    {
        foreach ((_, MemberInfo member) in MembersIn(code, method))
        {
            yield return member as Type ?? member.DeclaringType!;
            foreach (Type argument in member is MethodInfo { IsGenericMethod: true } generic ? generic.GetGenericArguments() : [])
            {
                yield return argument;
            }
        }
    }

    /// <summary>Returns the instructions of a method that refer to a member, and the members.</summary>
    internal static IEnumerable<(OpCode Instruction, MemberInfo Member)> MembersIn(byte[] code, MethodBase method)
    {
        Type[]? ofType = method.DeclaringType!.IsGenericType ? method.DeclaringType.GetGenericArguments() : null;
        Type[]? ofMethod = method.IsGenericMethod ? method.GetGenericArguments() : null;
        for (int i = 0; i < code.Length;)
        {
            OpCode instruction = OpCodeOf[code[i] == 0xFE ? unchecked((short)(0xFE00 | code[++i])) : code[i]];
            i++;
            if (instruction.OperandType is OperandType.InlineMethod or OperandType.InlineField or OperandType.InlineType or OperandType.InlineTok)
            {
                yield return (instruction, method.Module.ResolveMember(BitConverter.ToInt32(code, i), ofType, ofMethod)!);
            }

            i += instruction.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + (4 * BitConverter.ToInt32(code, i)),
                _ => 4,
            };
        }
    }

    // Constants and nameof leave no trace in the compiled code, but the namespace of their type is in the source text.
    [GeneratedRegex(@"^\s*(?:global )?using [^;(]*?\b(?<name>Picollo[\w.]*)|(?<![\w.""/])(?:global::)?(?<name>Picollo\.[A-Z]\w*\.\w+)", RegexOptions.Multiline)]
    private static partial Regex Import();
}
