using System.Runtime.Versioning;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public sealed class ExchangeFileTests
{
    [Fact]
    public void A_request_comes_out_as_it_went_in()
    {
        MeasureRequest request = MeasureRequest.Of(
            [new([PerfHardwareCounterId.Instructions, PerfCacheCounterId.L1DReadMiss, PerfSoftwareCounterId.PageFaults, "sched:sched_switch", PicolloMeasure.Raw(4, ulong.MaxValue, "\"raw\" µ,;")])],
            isAwaited: true);
        InFile(request, path =>
        {
            ExchangeFile.ReadRequest(path).Should().BeEquivalentTo(request);
            ExchangeFile.ReadResult(path).Should().BeNull();
        });
    }

    [Fact]
    public void A_result_takes_its_place_with_numbers_that_are_none_too()
    {
        MeasureResult result = new(
            [new("one", double.NaN, IsScaled: true), new("two", 1.0 / 3), new("three", double.PositiveInfinity)],
            ["Not counted: four: \"why\""],
            new(1.5, 0, double.Epsilon, null, 2),
            new([0, 1, 255], 5, new DateTime(2026, 1, 2, 3, 4, 5, 678, DateTimeKind.Utc), DateTime.MaxValue));
        InFile(MeasureRequest.Of([], isAwaited: false), path =>
        {
            ExchangeFile.WriteResult(path, result);
            ExchangeFile.ReadResult(path).Should().BeEquivalentTo(result);
            ExchangeFile.ReadRequest(path).Should().BeNull();
        });
    }

    [LinuxFact]
    [UnsupportedOSPlatform("windows")]
    public void The_file_is_this_user_s_alone() =>
        InFile(MeasureRequest.Of([], isAwaited: false), path => File.GetUnixFileMode(path).Should().Be(UnixFileMode.UserRead | UnixFileMode.UserWrite));

    private static void InFile(MeasureRequest request, Action<string> test)
    {
        string path = ExchangeFile.Create(request);
        try
        {
            test(path);
        }
        finally
        {
            File.Delete(path);
        }
    }
}
