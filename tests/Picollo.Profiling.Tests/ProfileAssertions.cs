namespace Picollo.Profiling.Tests;

internal static class ProfileAssertions
{
    /// <summary>Asserts that all samples without a name are in local functions of native libraries, which have no symbols. Their number
    /// depends on the machine.</summary>
    public static void ShouldHaveNamesOutsideLibraries(this CpuProfile profile) =>
        profile.GetMethods()
            .Where(method => method.OwnValue > 0 && method.Frame.Kind == CpuProfileFrameKind.Unnamed
                && !method.Frame.Module.Contains(".so", StringComparison.Ordinal))
            .Select(method => $"{method.Frame.Name}: {method.OwnValue} of {profile.SampleCount}")
            .Should().BeEmpty();
}
