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
    public void Members_that_only_version_01_needs_are_hidden()
    {
        string[] files = Directory.GetFiles(Path.Combine(Repository.Root, "src"), "*.Version01.cs", SearchOption.AllDirectories);
        files.Should().HaveCountGreaterThan(10);
        foreach (string file in files)
        {
            string[] lines = File.ReadAllLines(file);
            lines.Count(line => line == "    [EditorBrowsable(EditorBrowsableState.Never)]").Should()
                .Be(lines.Count(line => line.StartsWith("    public ", StringComparison.Ordinal)), file).And.BePositive();
        }
    }

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

    [Fact]
    public void No_public_member_has_a_value_tuple() => PublicSurface.Types
        .SelectMany(PublicSurface.MembersOf)
        .Should().NotContain(member => member.ToString()!.Contains(nameof(ValueTuple), StringComparison.Ordinal));

    // Positional records: a further member would break callers.
    [Fact]
    public void No_public_type_has_a_deconstruction_or_a_required_member() => PublicSurface.Types
        .SelectMany(type => type.GetMembers())
        .Should().NotContain(member => member.Name == "Deconstruct" || member.IsDefined(typeof(RequiredMemberAttribute), false));

    [Fact]
    public void Names_of_numeric_durations_contain_the_unit()
    {
        Type[] numbers = [typeof(int), typeof(uint), typeof(long), typeof(ulong), typeof(double)];
        string[] durations = ["Time", "Duration", "Interval", "Latency", "Elapsed"];
        string[] units = ["Nano", "Pico", "Micro", "Milli", "Seconds", "Ticks", "Timestamp"];

        // The names of perf_event_open(2), as in v0.1.
        Type[] foreign = [typeof(PerfEventCounterValue)];

        PublicSurface.Types.Except(foreign).SelectMany(PublicSurface.MembersOf)
            .Where(member => durations.Any(word => member.Name.Contains(word, StringComparison.Ordinal)))
            .Where(member => numbers.Contains(member switch { MethodInfo method => method.ReturnType, PropertyInfo property => property.PropertyType, _ => typeof(void) }))
            .Should().HaveCountGreaterThan(4).And.OnlyContain(member => units.Any(unit => member.Name.Contains(unit, StringComparison.Ordinal)));
    }

    [Fact]
    public void Thread_ids_are_long() => PublicSurface.Types.SelectMany(PublicSurface.MembersOf)
        .SelectMany(member => member switch
        {
            PropertyInfo { Name: "ThreadId" } property => [property.PropertyType],
            MethodBase method => method.GetParameters().Where(parameter => parameter.Name == "threadId").Select(parameter => parameter.ParameterType),
            _ => Enumerable.Empty<Type>(),
        })
        .Should().HaveCountGreaterThan(4).And.OnlyContain(type => type == typeof(long));

    [Fact]
    public void What_works_in_the_background_starts_with_Start_and_ends_with_Dispose()
    {
        (Type Type, MethodInfo Start)[] started =
        [
            .. PublicSurface.Types.SelectMany(type => type.GetMethods(BindingFlags.Static | BindingFlags.Public)
                .Where(method => method.Name == "Start").Select(method => (type, method))),
        ];

        started.Should().HaveCountGreaterThanOrEqualTo(7);
        started.Should().OnlyContain(one => one.Start.ReturnType == one.Type && one.Type.IsAssignableTo(typeof(IDisposable)));
        started.SelectMany(one => one.Type.GetConstructors()).Should().BeEmpty("a constructor starts nothing");
    }

    [Fact]
    public void Scopes_are_disposable_structs()
    {
        Type[] scopes = [.. PublicSurface.Types.Where(type => type.Name.EndsWith("Scope", StringComparison.Ordinal))];

        scopes.Should().HaveCountGreaterThanOrEqualTo(4).And.OnlyContain(type => type.IsValueType && type.IsAssignableTo(typeof(IDisposable)));
    }
}
