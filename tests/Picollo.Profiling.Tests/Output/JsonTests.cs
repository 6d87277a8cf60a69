using System.Text.Json;
using Picollo.Cli.Tests;
using Picollo.Cpu;
using static Picollo.Profiling.Tests.Profiles;

namespace Picollo.Profiling.Tests.Output;

public class JsonTests
{
    [Fact]
    public void The_object_contains_the_header_the_methods_and_the_tree()
    {
        CpuProfile profile = new(new ProfileData(RootOf(
            ([Managed("Main"), Managed("Main"), new CpuProfileFrame("memcpy", "libc.so.6", CpuProfileFrameKind.Native)], 5),
            ([new CpuProfileFrame("app+0x12", "app", CpuProfileFrameKind.Unnamed)], 1),
            ([Managed("Main")], 3)))
        {
            Title = "app",
            StartTime = new DateTime(2026, 11, 25, 12, 0, 0, 500, DateTimeKind.Utc),
            Duration = TimeSpan.FromSeconds(2.5),
            Frequency = 99,
            EventName = "cycles",
            IncludesKernel = true,
            CpuUsage = new CpuUsage(1_500_000_000, 250_000_000),
            LostSampleCount = 2,
            Notes = ["A <note>."],
        });

        Json(profile).Should().Be(
            """
            {"title":"app","startTimeUtc":"2026-11-25T12:00:00.5Z","durationSeconds":2.5,"frequency":99,"event":"cycles","includesKernel":true,
            "cpuUserSeconds":1.5,"cpuKernelSeconds":0.25,"sampleType":"cpu","sampleUnit":"samples","sampleCount":9,"lostSampleCount":2,"unnamedSampleCount":1,"notes":["A <note>."],
            "methods":[{"name":"memcpy","module":"libc.so.6","kind":"native","ownSampleCount":5,"sampleCount":5},
            {"name":"Main","module":"App.dll","kind":"managed","ownSampleCount":3,"sampleCount":8},
            {"name":"app+0x12","module":"app","kind":"unnamed","ownSampleCount":1,"sampleCount":1}],
            "nodes":[{"parent":-1,"frame":0,"sampleCount":9,"ownSampleCount":0},{"parent":0,"frame":1,"sampleCount":8,"ownSampleCount":3},
            {"parent":1,"frame":1,"sampleCount":5,"ownSampleCount":0},{"parent":2,"frame":2,"sampleCount":5,"ownSampleCount":5},
            {"parent":0,"frame":3,"sampleCount":1,"ownSampleCount":1}],
            "frames":[{"name":"all","module":"","kind":"group"},{"name":"Main","module":"App.dll","kind":"managed"},
            {"name":"memcpy","module":"libc.so.6","kind":"native"},
            {"name":"app+0x12","module":"app","kind":"unnamed"}]}
            """.ReplaceLineEndings("") + "\n");
    }

    [Fact]
    public void The_output_follows_its_schema() => Seeded.Run(30, random =>
        JsonSchema.OfCommand("profile").ProblemsOf(Json(Profiles.Random(random))).Should().BeEmpty());

    [Fact]
    public void Stacks_of_any_depth_are_written()
    {
        const int Depth = 50_000;
        CpuProfile profile = OfFrames(([.. Enumerable.Range(0, Depth).Select(i => Managed($"F{i % 100}"))], 1));

        using JsonDocument json = JsonDocument.Parse(Json(profile));

        json.RootElement.GetProperty("nodes").GetArrayLength().Should().Be(Depth + 1);
        json.RootElement.GetProperty("methods").GetArrayLength().Should().Be(100);
    }
}
