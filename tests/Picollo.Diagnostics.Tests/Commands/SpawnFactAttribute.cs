using Picollo.Diagnostics.Linux;

namespace Picollo.Diagnostics.Tests;

/// <summary>A test of commands that picollo_spawn starts; skipped, with the reason, where it is not.</summary>
public sealed class SpawnFactAttribute : FactAttribute
{
    public SpawnFactAttribute() => Skip = SpawnProgram.Current.UnavailableReason;
}
