namespace Picollo.Diagnostics.Tests;

/// <summary>Results can get members later: they have no setters, no positional form, and no constructors that a user could call.</summary>
public class ResultTypeTests
{
    public static TheoryData<Type> Types => [typeof(CommandRun), typeof(CommandCounter), typeof(JitterBreak)];

    [Theory]
    [MemberData(nameof(Types))]
    public void A_result_can_only_be_read(Type type)
    {
        type.GetProperties().Should().NotBeEmpty().And.OnlyContain(property => property.SetMethod == null || !property.SetMethod.IsPublic);
        type.GetMethods().Should().NotContain(method => method.Name == "Deconstruct");
        type.GetConstructors().Should().BeEmpty();
    }
}
