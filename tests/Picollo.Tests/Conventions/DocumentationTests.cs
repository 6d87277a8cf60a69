using System.Reflection;
using System.Xml.Linq;

namespace Picollo.Tests.Conventions;

/// <summary>Every public member is documented, including its parameters, its result and the conditions of its exceptions.</summary>
public class DocumentationTests
{
    private static readonly Dictionary<string, XElement> Documentation = PublicSurface.Assemblies
        .SelectMany(assembly => XDocument.Load(Path.ChangeExtension(assembly.Location, ".xml")).Descendants("member"))
        .DistinctBy(member => member.Attribute("name")!.Value) // a file that two packages compile
        .ToDictionary(member => member.Attribute("name")!.Value);

    public static TheoryData<string> TypeNames => [.. PublicSurface.Types.Select(type => type.FullName!)];

    [Theory]
    [MemberData(nameof(TypeNames))]
    public void Every_member_of_a_public_type_is_documented(string typeName)
    {
        Type type = PublicSurface.Types.Single(each => each.FullName == typeName);

        string[] faults = [.. PublicSurface.MembersOf(type).Where(member => !PublicSurface.IsGenerated(member)).Prepend(type).SelectMany(Faults)];

        faults.Should().BeEmpty();
    }

    [Fact]
    public void XmlName_returns_the_names_that_the_compiler_generates()
    {
        XmlName(typeof(Picollo.Metrics.HdrHistogram).GetMethod("GetPercentiles")!)
            .Should().Be("M:Picollo.Metrics.ReadOnlyHdrHistogram.GetPercentiles(System.ReadOnlySpan{System.Double},System.Span{Picollo.Metrics.Percentile})");
        XmlName(typeof(Picollo.Metrics.PlainHdrHistogram<>)).Should().Be("T:Picollo.Metrics.PlainHdrHistogram`1");
    }

    private static IEnumerable<string> Faults(MemberInfo member)
    {
        if (member is ConstructorInfo { DeclaringType: { } owner } constructor && constructor.GetParameters().Length == 0 && IsDocumented(XmlName(owner)))
        {
            yield break; // a generated constructor is documented by its type
        }

        // The parameters and the result of a delegate are documented at its type.
        string name = XmlName(member.DeclaringType is { } type && type.IsSubclassOf(typeof(Delegate)) ? type : member);
        if (!IsDocumented(name))
        {
            yield return $"{name} has no summary";
            yield break;
        }

        XElement documentation = Documentation[name];
        if (member is not MethodBase method || documentation.Element("inheritdoc") is not null)
        {
            yield break;
        }

        foreach (ParameterInfo parameter in method.GetParameters())
        {
            if (!documentation.Elements("param").Any(param => param.Attribute("name")!.Value == parameter.Name && HasText(param)))
            {
                yield return $"{name} does not document {parameter.Name}";
            }
        }

        if (method is MethodInfo { IsSpecialName: false } function && function.ReturnType != typeof(void) && !documentation.Elements("returns").Any(HasText))
        {
            yield return $"{name} does not document its result";
        }
    }

    private static bool IsDocumented(string name) => Documentation.TryGetValue(name, out XElement? documentation)
        && (documentation.Element("inheritdoc") is not null || documentation.Elements("summary").Any(HasText));

    private static bool HasText(XElement element) => !string.IsNullOrWhiteSpace(element.Value) || element.HasElements;

    private static string XmlName(MemberInfo member) => member switch
    {
        Type type => "T:" + type.FullName!.Replace('+', '.'),
        FieldInfo => $"F:{TypeName(member.DeclaringType!)}.{member.Name}",
        PropertyInfo property => $"P:{TypeName(member.DeclaringType!)}.{member.Name}{ParameterList(property.GetIndexParameters())}",
        EventInfo => $"E:{TypeName(member.DeclaringType!)}.{member.Name}",
        MethodBase method => $"M:{TypeName(member.DeclaringType!)}.{MethodName(method)}{ParameterList(method.GetParameters())}{ConversionResult(method)}",
        _ => throw new NotSupportedException(member.ToString()),
    };

    private static string MethodName(MethodBase method) =>
        method.Name.Replace('.', '#') + (method.IsGenericMethod ? "``" + method.GetGenericArguments().Length : string.Empty);

    private static string ConversionResult(MethodBase method) =>
        method is MethodInfo { Name: "op_Implicit" or "op_Explicit" } conversion ? "~" + TypeName(conversion.ReturnType) : string.Empty;

    private static string ParameterList(ParameterInfo[] parameters) =>
        parameters.Length == 0 ? string.Empty : $"({string.Join(',', parameters.Select(each => TypeName(each.ParameterType)))})";

    private static string TypeName(Type type)
    {
        if (type.IsByRef)
        {
            return TypeName(type.GetElementType()!) + "@";
        }

        if (type.IsArray)
        {
            return TypeName(type.GetElementType()!) + "[]";
        }

        if (type.IsGenericParameter)
        {
            return (type.DeclaringMethod is null ? "`" : "``") + type.GenericParameterPosition;
        }

        return type.IsConstructedGenericType
            ? $"{type.GetGenericTypeDefinition().FullName!.Split('`')[0].Replace('+', '.')}{{{string.Join(',', type.GetGenericArguments().Select(TypeName))}}}"
            : type.FullName!.Replace('+', '.');
    }
}
