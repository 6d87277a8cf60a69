using System.Runtime.Versioning;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public sealed class ExchangeFileTests
{
    private static readonly MeasureRequest Empty = MeasureRequest.FromSets([], isAwaited: false);

    [Fact]
    public void A_request_can_be_written_and_read()
    {
        MeasureRequest request = MeasureRequest.FromSets(
            [new([PerfHardwareCounterId.Instructions, PerfCacheCounterId.L1DReadMiss, PerfSoftwareCounterId.PageFaults, PicolloMeasure.CreateNamedCounter("sched:sched_switch"), PicolloMeasure.CreateRawCounter(4, ulong.MaxValue, "\"raw\" µ,;")])],
            isAwaited: true);
        InFile(request, path =>
        {
            ExchangeFile.ReadRequest(path).Should().BeEquivalentTo(request);
            ExchangeFile.ReadResults(path).Should().BeEmpty();
        });
    }

    [Fact]
    public void Each_launch_adds_its_result_including_NaN()
    {
        MeasureResult result = new(
            [new("one", double.NaN, IsScaled: true), new("two", 1.0 / 3), new("three", double.PositiveInfinity)],
            ["Not counted: four: \"why\""],
            new(1.5, 0, double.Epsilon, null, 2),
            new([0, 1, 255], 5, new DateTime(2026, 1, 2, 3, 4, 5, 678, DateTimeKind.Utc), DateTime.MaxValue));
        InFile(Empty, path =>
        {
            ExchangeFile.TryAddResult(path, result, out _).Should().BeTrue();
            ExchangeFile.ReadResults(path).Should().BeEquivalentTo([result]);
            ExchangeFile.ReadRequest(path).Should().BeEquivalentTo(Empty);
            ExchangeFile.TryAddResult(path, result with { Cpu = null }, out _).Should().BeTrue();
            ExchangeFile.ReadResults(path).Should().BeEquivalentTo([result, result with { Cpu = null }], options => options.WithStrictOrdering());
        });
    }

    [FactNeeding(Need.Linux)]
    [UnsupportedOSPlatform("windows")]
    public void A_planted_link_is_not_followed_and_only_this_user_can_access_the_result() => InFile(Empty, path =>
    {
        File.GetUnixFileMode(path).Should().Be(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        string link = path + ".new", victim = path + ".victim";
        File.WriteAllText(victim, "kept");
        File.CreateSymbolicLink(link, victim);
        try
        {
            ExchangeFile.TryAddResult(path, new([], [], null, null), out _).Should().BeTrue();
            File.ReadAllText(victim).Should().Be("kept");
            File.GetUnixFileMode(path).Should().Be(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
        finally
        {
            File.Delete(link);
            File.Delete(victim);
        }
    });

    [Theory]
    [InlineData("")]
    [InlineData("{\"Results\":[{\"Cou")]
    [InlineData("{\"Request\":1}")]
    [InlineData("null")]
    public void Unreadable_files_contain_no_results(string content) => InFile(Empty, path =>
    {
        File.WriteAllText(path, content);
        ExchangeFile.ReadRequest(path).Should().BeNull();
        ExchangeFile.ReadResults(path).Should().BeEmpty();
        File.Delete(path);
        ExchangeFile.ReadResults(path).Should().BeEmpty();
    });

    [Fact]
    public void An_unwritable_file_is_reported_with_a_reason() => InFile(Empty, path =>
    {
        File.Delete(path);
        Directory.CreateDirectory(path);
        ExchangeFile.TryAddResult(path, new([], [], null, null), out string? reason).Should().BeFalse();
        reason.Should().StartWith(Path.GetTempPath());
        Directory.GetFiles(Path.GetDirectoryName(path)!, Path.GetFileName(path) + ".*").Should().BeEmpty("the temporary file is deleted");
        Directory.Delete(path);
    });

    [FactNeeding(Need.Linux)]
    public void The_path_is_absolute_and_a_missing_folder_is_reported()
    {
        string? before = Environment.GetEnvironmentVariable("TMPDIR");
        try
        {
            Environment.SetEnvironmentVariable("TMPDIR", ".");
            InFile(Empty, path => Path.IsPathFullyQualified(path).Should().BeTrue());
            Environment.SetEnvironmentVariable("TMPDIR", "/none/such");
            ExchangeFile.TryCreate(Empty, out string? none, out string? reason).Should().BeFalse();
            none.Should().BeNull();
            reason.Should().StartWith("/none/such/: ");
        }
        finally
        {
            Environment.SetEnvironmentVariable("TMPDIR", before);
        }
    }

    private static void InFile(MeasureRequest request, Action<string> test)
    {
        ExchangeFile.TryCreate(request, out string? path, out string? reason).Should().BeTrue(reason);
        try
        {
            test(path!);
        }
        finally
        {
            ExchangeFile.Delete(path!);
        }
    }
}
