using System.Reflection;
using System.Runtime.CompilerServices;
using Picollo.Cpu;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Tests.Conventions;

public class TypeConventionTests
{
    [Fact]
    public void Public_structs_except_scopes_are_readonly() => PublicSurface.Types
        .Where(type => type.IsValueType && !type.IsEnum && !type.Name.EndsWith("Scope", StringComparison.Ordinal))
        .Should().OnlyContain(type => PublicApiText.IsReadOnly(type));

    [Fact]
    public void Public_fields_are_constant_or_readonly() => PublicSurface.Types
        .SelectMany(PublicSurface.MembersOf).OfType<FieldInfo>()
        .Should().OnlyContain(field => field.IsLiteral || field.IsInitOnly);

    [Fact]
    public void Public_classes_are_sealed_static_or_abstract() => PublicSurface.Types
        .Where(type => type.IsClass)
        .Should().OnlyContain(type => type.IsSealed || type.IsAbstract);

    [Fact]
    public void External_types_cannot_derive_from_a_histogram_or_a_factory() => PublicSurface.Types
        .Where(type => type.IsAssignableTo(typeof(ReadOnlyHdrHistogram)) || type.IsAssignableTo(typeof(HdrHistogramFactory)))
        .SelectMany(type => type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        .Should().OnlyContain(constructor => constructor.IsAssembly || constructor.IsFamilyAndAssembly);

    [Fact]
    public void Only_Picollo_creates_readings()
    {
        Type[] readings = [.. PublicSurface.Types.Where(type =>
            type is { IsValueType: true, IsEnum: false, Namespace: "Picollo.Cpu" or "Picollo.PerfEvent" }
            && type != typeof(CpuUsage) && type != typeof(PerfEventCounterValue))]; // programs create these two

        readings.Should().HaveCountGreaterThanOrEqualTo(8);
        readings.SelectMany(type => type.GetConstructors()).Should().BeEmpty();
        readings.SelectMany(type => type.GetProperties()).Should().NotContain(property => property.SetMethod != null && property.SetMethod.IsPublic);
    }

    // Positional records: a further member would break callers.
    [Fact]
    public void No_public_type_has_a_deconstruction_or_a_required_member() => PublicSurface.Types
        .SelectMany(type => type.GetMembers())
        .Should().NotContain(member => member.Name == "Deconstruct" || member.IsDefined(typeof(RequiredMemberAttribute), false));
}
