namespace Picollo.Diagnostics.Tests;

/// <summary>Results can get members later, so they have no setters, no positional form, and no public constructors.</summary>
public class ResultTypeTests
{
    public static TheoryData<Type> Types => [typeof(CommandRun), typeof(CommandCounter), typeof(JitterBreak), typeof(RuntimeTotals)];

    [Theory]
    [MemberData(nameof(Types))]
    public void Results_are_read_only(Type type)
    {
        type.GetProperties().Should().NotBeEmpty().And.OnlyContain(property => property.SetMethod == null || !property.SetMethod.IsPublic);
        type.GetMethods().Should().NotContain(method => method.Name == "Deconstruct");
        type.GetConstructors().Should().BeEmpty();
    }
}
