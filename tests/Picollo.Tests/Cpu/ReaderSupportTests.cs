using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>The conditions of <see cref="CpuUsageReader.IsSupported"/>; ReaderContractTests tests this system.</summary>
public sealed class ReaderSupportTests
{
    [Fact]
    public void The_reason_names_an_unsupported_system() =>
        CpuUsageReader.FailureOf(new UnknownCpuTimes())!.Message.Should().StartWith("CPU time is available only on Linux, Windows and macOS; this system is ");

    [Theory]
    [InlineData(null, null, null)]
    [InlineData("no thread", null, "no thread")]
    [InlineData(null, "no process", "no process")]
    [InlineData("no thread", "no process", "no thread")]
    public void CPU_times_of_threads_and_of_processes_are_both_required(string? thread, string? process, string? reason) =>
        (CpuUsageReader.FailureOf(new RefusingTimes(thread, process))?.Message).Should().Be(reason);

    private sealed class RefusingTimes(string? thread, string? process) : ICpuTimes
    {
        public long? ThreadId => null;

        public MeasurementUnavailableException? ThreadFailure => Failure(thread);

        public bool TryGetThread(out long totalNanoseconds) => throw new NotSupportedException();

        public bool TryGetThread(out long totalNanoseconds, out CpuUsage split) => throw new NotSupportedException();

        public bool TryGetTotal(ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
            throw new NotSupportedException();

        public bool TryGetSplit(ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
        {
            (owner, id).Should().Be((ResourceOwner.Process, 0));
            (split, failure) = (default, Failure(process));
            return failure is null;
        }

        private static MeasurementUnavailableException? Failure(string? reason) =>
            reason is null ? null : new(reason, MeasurementUnavailableCause.Unknown);
    }
}
