using System.Text.Json;
using Picollo.Cli.Tests;
using Picollo.Cpu;

namespace Picollo.Profiling.Tests.Output;

public class JsonTests
{
    [Fact]
    public void The_object_contains_the_header_the_methods_and_the_tree()
    {
        CpuProfile profile = new(new ProfileData(Profiles.RootOf(
            ([Profiles.Managed("Main"), Profiles.Managed("Main"), new CpuProfileFrame("memcpy", "libc.so.6", CpuProfileFrameKind.Native)], 5),
            ([new CpuProfileFrame("app+0x12", "app", CpuProfileFrameKind.Unnamed)], 1),
            ([Profiles.Managed("Main")], 3)))
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
    public void The_output_follows_its_schema_and_the_tree_can_be_rebuilt() => Seeded.Run(30, random =>
    {
        CpuProfile profile = Profiles.Random(random);

        string json = Json(profile);

        JsonSchema.OfCommand("profile").ProblemsOf(json).Should().BeEmpty();
        Rebuilt(json).Should().Equal(profile.Data.GetStacks().Select(stack => (Key(stack.Stack.Where(IsNotRoot)), stack.Count)));
    });

    [Fact]
    public void Stacks_of_any_depth_are_written()
    {
        const int Depth = 50_000;
        CpuProfile profile = Profiles.OfFrames(([.. Enumerable.Range(0, Depth).Select(i => Profiles.Managed($"F{i % 100}"))], 1));

        using JsonDocument json = JsonDocument.Parse(Json(profile));

        json.RootElement.GetProperty("nodes").GetArrayLength().Should().Be(Depth + 1);
        json.RootElement.GetProperty("methods").GetArrayLength().Should().Be(100);
    }

    private static bool IsNotRoot(CpuProfileFrame frame) => (frame.Name, frame.Kind) != ("all", CpuProfileFrameKind.Group);

    private static string Key(IEnumerable<CpuProfileFrame> stack) => string.Join('\n', stack.Select(frame => $"{frame.Name}@{frame.Module}@{frame.Kind}"));

    private static List<(string Stack, long Count)> Rebuilt(string text)
    {
        using JsonDocument json = JsonDocument.Parse(text);
        CpuProfileFrame[] frames =
        [
            .. json.RootElement.GetProperty("frames").EnumerateArray().Select(frame => new CpuProfileFrame(
                frame.GetProperty("name").GetString()!,
                frame.GetProperty("module").GetString()!,
                Enum.Parse<CpuProfileFrameKind>(frame.GetProperty("kind").GetString()!, ignoreCase: true))),
        ];
        List<CpuProfileFrame[]> paths = [];
        List<(string Stack, long Count)> stacks = [];
        foreach (JsonElement node in json.RootElement.GetProperty("nodes").EnumerateArray())
        {
            int parent = node.GetProperty("parent").GetInt32();
            CpuProfileFrame frame = frames[node.GetProperty("frame").GetInt32()];
            paths.Add(parent < 0 ? [] : [.. paths[parent], frame]);
            if (node.GetProperty("ownSampleCount").GetInt64() is > 0 and long own)
            {
                stacks.Add((Key(paths[^1]), own));
            }
        }

        return stacks;
    }

    private static string Json(CpuProfile profile)
    {
        using var text = new StringWriter { NewLine = "\r\n" };
        profile.WriteJson(text);
        return text.ToString();
    }
}
