using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Encoding.Contenders;

/// <summary>Something that was timed elsewhere, to stand beside what is timed here.</summary>
internal sealed class JavaFigure(string name, string measured) : Contender(name, operations: 1)
{
    public string Key { get; } = JavaLibrary.KeyOf(measured);

    public override void Run(int operations) => throw new InvalidOperationException("It is timed in a JVM.");
}
