using BenchmarkDotNet.Engines;
using Picollo.BenchmarkDotNet.BenchmarkProcess;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public class SupportedVersionsTests
{
    [Fact]
    public void Signals_are_compared_by_name()
    {
        Enum.GetValues<HostSignal>().Where(signal => SupportedVersions.IsEnd(signal)).Should().Equal(HostSignal.AfterAll, HostSignal.AfterProcessExit);
        Enum.GetValues<SignalsOf015>().Where(signal => SupportedVersions.IsEnd(signal)).Should().Equal(SignalsOf015.AfterAll, SignalsOf015.AfterProcessExit);
    }

    [Fact]
    public void Unsupported_versions_are_reported()
    {
        Array.ForEach(["0.14.0", "0.15.8", "0.15.99.1"], (string version) => SupportedVersions.Check(new Version(version)));
        foreach (string version in (string[])["0.13.12", "0.16.0", "1.0.0"])
        {
            FluentActions.Invoking(() => SupportedVersions.Check(new Version(version)))
                .Should().Throw<NotSupportedException>().WithMessage($"*supports BenchmarkDotNet 0.14 to 0.15, not {version}.");
        }
    }

    // BenchmarkDotNet 0.15.8, src/BenchmarkDotNet/Engines/HostSignal.cs.
    private enum SignalsOf015
    {
        BeforeProcessStart,
        AfterProcessStart,
        BeforeAnythingElse,
        BeforeActualRun,
        AfterActualRun,
        AfterAll,
        SeparateLogic,
        AfterProcessExit,
    }
}
