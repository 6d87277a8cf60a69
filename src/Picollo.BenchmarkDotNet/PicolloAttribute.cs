using BenchmarkDotNet.Configs;

namespace Picollo.BenchmarkDotNet;

/// <summary>What the attributes of this package have in common: they go onto a class with benchmarks, or onto the assembly for all of its
/// classes, as often as wanted, and add up.</summary>
/// <remarks>
/// <para>A job's own engine factory gives way to Picollo's; its clock is kept.</para>
/// <para>Each of them says of itself where it goes: of an attribute that leaves its usage to its base class, the runtime takes a class's
/// own only, and none of the class it derives from.</para>
/// </remarks>
public abstract class PicolloAttribute : Attribute, IConfigSource
{
    private protected PicolloAttribute()
    {
    }

    /// <summary>What the attribute adds to the configuration of the class: a diagnoser, and the engine that measures for it.</summary>
    public IConfig Config => ManualConfig.CreateEmpty().AddMeasures(Measures);

    private protected abstract MeasureSet Measures { get; }
}
