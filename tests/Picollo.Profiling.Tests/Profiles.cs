namespace Picollo.Profiling.Tests;

/// <summary>Profiles made of given stacks.</summary>
internal static class Profiles
{
    public static CpuProfileFrame Managed(string name) => new(name, "App.dll", CpuProfileFrameKind.Managed);

    /// <summary>A profile of folded stacks, such as <c>Main;Work 60</c>.</summary>
    public static CpuProfile Of(params string[] folded)
    {
        var root = new CpuProfileNode(new CpuProfileFrame("all", "", CpuProfileFrameKind.Group));
        foreach (string line in folded)
        {
            int space = line.LastIndexOf(' ');
            root.Add([.. line[..space].Split(';').Select(Managed)], long.Parse(line[(space + 1)..], System.Globalization.CultureInfo.InvariantCulture));
        }

        return new CpuProfile(root)
        {
            Title = "app (process 42)",
            StartTimeUtc = new DateTime(2026, 11, 25, 12, 0, 0, DateTimeKind.Utc),
            Duration = TimeSpan.FromSeconds(5),
            Frequency = 100,
        };
    }
}
