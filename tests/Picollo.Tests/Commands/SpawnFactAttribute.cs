using Picollo.Commands.Linux;

namespace Picollo.Tests.Commands;

/// <summary>A test of commands that picollo_spawn starts; skipped, with the reason, where it is not.</summary>
public sealed class SpawnFactAttribute : FactAttribute
{
    public SpawnFactAttribute() => Skip = SpawnProgram.Current.Problem;
}
