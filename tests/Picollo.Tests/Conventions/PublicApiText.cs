using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Picollo.Tests.Conventions;

/// <summary>Prints the public API in a notation similar to C#, including nullable annotations.</summary>
internal static class PublicApiText
{
    private static readonly NullabilityInfoContext Nullability = new();

    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(int)] = "int",
        [typeof(uint)] = "uint",
        [typeof(long)] = "long",
        [typeof(ulong)] = "ulong",
        [typeof(double)] = "double",
        [typeof(string)] = "string",
        [typeof(object)] = "object",
    };

    public static string Print()
    {
        StringBuilder text = new();
        foreach (Type type in PublicSurface.Types)
        {
            text.Append(CultureInfo.InvariantCulture, $"{Kind(type)} {type.Namespace}.{Name(type)}{Bases(type)}{Constraints(type.GetGenericArguments())}\n");
            foreach (MemberInfo member in PublicSurface.MembersOf(type))
            {
                text.Append(CultureInfo.InvariantCulture, $"    {Member(member)}\n");
            }

            text.Append('\n');
        }

        return text.ToString();
    }

    private static string Kind(Type type) => type switch
    {
        { IsEnum: true } => "enum",
        { IsInterface: true } => "interface",
        { IsValueType: true } => $"{(IsReadOnly(type) ? "readonly " : string.Empty)}{(type.IsByRefLike ? "ref " : string.Empty)}struct",
        { IsAbstract: true, IsSealed: true } => "static class",
        { IsAbstract: true } => "abstract class",
        { IsSealed: true } => "sealed class",
        _ => "class",
    };

    internal static bool IsReadOnly(Type type) => type.CustomAttributes.Any(attribute => attribute.AttributeType.Name == "IsReadOnlyAttribute");

    private static string Bases(Type type)
    {
        IEnumerable<Type> bases = type.GetInterfaces().Where(each => each.IsVisible).OrderBy(each => each.Name, StringComparer.Ordinal);
        if (type.IsEnum)
        {
            bases = [];
        }
        else if (type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType))
        {
            bases = bases.Where(each => !each.IsAssignableFrom(parent)).Prepend(parent);
        }

        string names = string.Join(", ", bases.Select(Name));
        return names.Length == 0 ? string.Empty : " : " + names;
    }

    private static string Member(MemberInfo member) => member switch
    {
        FieldInfo { IsLiteral: true } field =>
            $"const {Name(field.FieldType)} {field.Name} = {Convert.ToString(field.GetRawConstantValue(), CultureInfo.InvariantCulture)}",
        FieldInfo field => $"{Static(field.IsStatic)}{(field.IsInitOnly ? "readonly " : string.Empty)}{Name(Nullability.Create(field))} {field.Name}",
        ConstructorInfo constructor => $"{Access(constructor)}.ctor({Parameters(constructor)})",
        PropertyInfo property => Property(property),
        MethodInfo method => $"{Access(method)}{Modifiers(method)}{Name(Nullability.Create(method.ReturnParameter))} {method.Name}{Generic(method)}({Parameters(method)}){Constraints(method.GetGenericArguments())}",
        EventInfo @event => $"event {Name(@event.EventHandlerType!)} {@event.Name}",
        _ => member.ToString()!,
    };

    private static string Property(PropertyInfo property)
    {
        MethodInfo accessor = property.GetMethod ?? property.SetMethod!;
        string get = PublicSurface.IsVisible(property.GetMethod) ? "get; " : string.Empty;
        string set = !PublicSurface.IsVisible(property.SetMethod)
            ? string.Empty
            : property.SetMethod!.ReturnParameter.GetRequiredCustomModifiers().Length > 0 ? "init; " : "set; ";
        return $"{Access(accessor)}{Modifiers(accessor)}{Required(property)}{Name(Nullability.Create(property))} {Indexed(property)} {{ {get}{set}}}";
    }

    private static string Required(MemberInfo member) => member.IsDefined(typeof(RequiredMemberAttribute)) ? "required " : string.Empty;

    private static string Indexed(PropertyInfo property) => property.GetMethod!.GetParameters() is { Length: > 0 } parameters
        ? $"this[{string.Join(", ", parameters.Select(Parameter))}]"
        : property.Name;

    private static string Access(MethodBase method) => method.IsPublic ? string.Empty : "protected ";

    private static string Static(bool isStatic) => isStatic ? "static " : string.Empty;

    private static string Modifiers(MethodInfo method) => method switch
    {
        { IsStatic: true } => "static ",
        { DeclaringType.IsInterface: true } => string.Empty,
        { IsAbstract: true } => "abstract ",
        { IsVirtual: true } when method.GetBaseDefinition() != method || IsCovariant(method) => method.IsFinal ? "sealed override " : "override ",
        { IsVirtual: true, IsFinal: false } => "virtual ",
        _ => string.Empty,
    };

    // An override with a more derived result has its own slot and an attribute.
    private static bool IsCovariant(MethodInfo method) => method.IsDefined(typeof(PreserveBaseOverridesAttribute));

    private static string Generic(MethodInfo method) =>
        method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(Name))}>" : string.Empty;

    private static string Constraints(Type[] parameters) => string.Concat(parameters
        .Where(parameter => parameter.IsGenericParameter)
        .Select(parameter => (parameter.Name, All: string.Join(", ", Constraints(parameter))))
        .Where(constrained => constrained.All.Length > 0)
        .Select(constrained => $" where {constrained.Name} : {constrained.All}"));

    private static IEnumerable<string> Constraints(Type parameter)
    {
        GenericParameterAttributes attributes = parameter.GenericParameterAttributes;
        bool isStruct = attributes.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint);
        if (isStruct)
        {
            yield return parameter.CustomAttributes.Any(attribute => attribute.AttributeType.Name == "IsUnmanagedAttribute") ? "unmanaged" : "struct";
        }
        else if (attributes.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint))
        {
            yield return "class";
        }

        foreach (Type constraint in parameter.GetGenericParameterConstraints().Where(each => each != typeof(ValueType)))
        {
            yield return Name(constraint);
        }

        if (!isStruct && attributes.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint))
        {
            yield return "new()";
        }
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        string mode = parameter.IsOut ? "out " : parameter.ParameterType.IsByRef ? parameter.IsIn ? "in " : "ref " : string.Empty;
        string fallback = parameter.HasDefaultValue ? " = " + Literal(parameter.DefaultValue, parameter.ParameterType) : string.Empty;
        bool isParams = parameter.IsDefined(typeof(ParamArrayAttribute)) || parameter.IsDefined(typeof(ParamCollectionAttribute));
        return $"{(isParams ? "params " : mode)}{Name(Nullability.Create(parameter))} {parameter.Name}{fallback}";
    }

    private static string Literal(object? value, Type type) => value switch
    {
        null => type.IsValueType ? "default" : "null",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    private static string Name(NullabilityInfo info)
    {
        Type type = info.Type.IsByRef ? info.Type.GetElementType()! : info.Type;
        string mark = !type.IsValueType && info.ReadState == NullabilityState.Nullable ? "?" : string.Empty;
        return Name(type) + mark;
    }

    private static string Name(Type type)
    {
        if (Keywords.TryGetValue(type, out string? keyword))
        {
            return keyword;
        }

        if (type.IsArray)
        {
            return Name(type.GetElementType()!) + "[]";
        }

        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Name(underlying) + "?";
        }

        string name = type.DeclaringType is { } outer && !type.IsGenericParameter ? $"{Name(outer)}.{type.Name}" : type.Name;
        return type.IsGenericType
            ? $"{name.Split('`')[0]}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>"
            : name;
    }
}
