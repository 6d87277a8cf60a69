using System.Reflection;
using System.Reflection.Emit;
using System.Text.RegularExpressions;

namespace Picollo.Tests.Conventions;

/// <summary>Dependencies between folders have one direction. Floors.txt has an entry for each folder: the folders of the same package that
/// it may use. The project references limit the use of other packages.</summary>
public partial class DependencyTests
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly string FloorsFile = Path.Combine(Repository.Root, "tests/Picollo.Tests/Conventions/Floors.txt");

    private static readonly string Source = Path.Combine(Repository.Root, "src");

    /// <summary>The source files below src, with "/" between folders.</summary>
    private static readonly string[] Files = [.. Directory.EnumerateFiles(Source, "*.cs", SearchOption.AllDirectories)
        .Select(path => Path.GetRelativePath(Source, path).Replace('\\', '/'))
        .Where(path => !path.Contains("/obj/", StringComparison.Ordinal) && !path.Contains("/bin/", StringComparison.Ordinal))];

    private static readonly Dictionary<string, string[]> Floors =
        File.ReadLines(FloorsFile)
            .Select(line => line.Split(':', StringSplitOptions.TrimEntries))
            .ToDictionary(entry => entry[0], entry => entry[1].Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries));

    private static readonly Dictionary<short, OpCode> OpCodeOf =
        typeof(OpCodes).GetFields().Select(field => (OpCode)field.GetValue(null)!).ToDictionary(code => code.Value);

    private static readonly Assembly[] Assemblies = [.. PublicSurface.Assemblies, Assembly.Load("Picollo.Cli")];

    /// <summary>The folders that define each type, by its name without the number of type parameters. A partial class in two folders counts
    /// for both.</summary>
    private static readonly ILookup<string, string> FoldersOf = Files
        .SelectMany(path => Definition().Matches(File.ReadAllText(Path.Combine(Source, path)))
            .Select(match => (Name: $"{NamespaceOf(path)}.{match.Groups["name"].Value}", Folder: FolderOf(path))))
        .Distinct()
        .ToLookup(definition => definition.Name, definition => definition.Folder);

    [Fact]
    public void Every_folder_uses_only_the_floors_below_it()
    {
        string[] all = [.. Files.Select(FolderOf).Distinct()];
        (string User, string Used, string Example)[] arrows = [.. Assemblies.SelectMany(assembly => assembly.GetTypes())
            .SelectMany(type => UsedBy(type).SelectMany(Flatten).Distinct()
                .SelectMany(used => FoldersOf[NameOf(type)].SelectMany(user => FoldersOf[NameOf(used)].Select(folder => (user, folder, $"{type} uses {used}")))))
            .Where(arrow => arrow.user != arrow.folder)
            .DistinctBy(arrow => (arrow.user, arrow.folder))];
        string[] expected = [.. all.Order(StringComparer.Ordinal).Select(folder => $"{folder}: " + string.Join(", ", arrows
            .Where(arrow => arrow.User == folder && PackageOf(arrow.Used) == PackageOf(folder))
            .Select(arrow => arrow.Used).Order(StringComparer.Ordinal)))];

        if (Environment.GetEnvironmentVariable("PICOLLO_APPROVE") == "1")
        {
            File.WriteAllText(FloorsFile, string.Concat(expected.Select(line => $"{line.Trim()}\n")));
        }

        arrows.Where(arrow => PackageOf(arrow.Used) == PackageOf(arrow.User) && !Floors.GetValueOrDefault(arrow.User, []).Contains(arrow.Used)).Should().BeEmpty();
        Floors.Select(entry => $"{entry.Key}: {string.Join(", ", entry.Value)}").Should().BeEquivalentTo(
            expected, "Floors.txt has an entry for each folder, and no arrow that does not exist");
    }

    [Fact]
    public void The_floors_have_no_circle()
    {
        HashSet<string> below = [];
        while (Floors.Keys.Where(folder => !below.Contains(folder) && Floors[folder].All(below.Contains)).ToArray() is { Length: > 0 } next)
        {
            below.UnionWith(next);
        }

        Floors.Keys.Except(below).Should().BeEmpty("these folders are in a circle, or above one");
    }

    [Fact]
    public void Only_the_interop_layer_declares_platform_invokes()
    {
        MethodInfo[] declarations = [.. Assemblies.SelectMany(assembly => assembly.GetTypes()).SelectMany(type => type.GetMethods(Declared))
            .Where(method => method.Attributes.HasFlag(MethodAttributes.PinvokeImpl))];
        IEnumerable<string> offenders = declarations
            .Where(method => !method.DeclaringType!.Namespace!.StartsWith("Picollo.Interop.", StringComparison.Ordinal))
            .Select(method => $"{method.DeclaringType} declares {method.Name}");

        declarations.Should().NotBeEmpty();
        offenders.Should().BeEmpty();
    }

    private static string FolderOf(string path) => path[..path.LastIndexOf('/')];

    private static string PackageOf(string path) => path.Split('/')[0];

    private static string NamespaceOf(string path) => Namespace().Match(File.ReadAllText(Path.Combine(Source, path))).Groups["name"].Value;

    private static string NameOf(Type type) => type.DeclaringType is { } outer ? NameOf(outer) : $"{type.Namespace}.{type.Name.Split('`')[0]}";

    private static IEnumerable<Type> Flatten(Type type) =>
        type.HasElementType ? Flatten(type.GetElementType()!)
        : type.IsFunctionPointer ? type.GetFunctionPointerParameterTypes().Append(type.GetFunctionPointerReturnType()).SelectMany(Flatten)
        : type.GetGenericArguments().SelectMany(Flatten).Append(type);

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

    [GeneratedRegex(@"^namespace (?<name>[\w.]+);", RegexOptions.Multiline)]
    private static partial Regex Namespace();

    // Types that are not nested start at the first column.
    [GeneratedRegex(@"^(?:[a-z]+ )*(?:(?:class|struct|interface|enum|record struct|record) (?<name>\w+)|delegate .*? (?<name>\w+)(?:<[^(]*)?\()", RegexOptions.Multiline)]
    private static partial Regex Definition();
}
