namespace Picollo.TestKit;

/// <summary>Tests that need the process or the processors for themselves: one after the other, after all others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class Alone
{
    public const string Name = "Alone";
}
