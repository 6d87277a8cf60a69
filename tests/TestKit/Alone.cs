namespace Picollo.TestKit;

/// <summary>Tests that need the process or the processors exclusively. They run one after the other, after all other tests.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class Alone
{
    public const string Name = "Alone";
}
