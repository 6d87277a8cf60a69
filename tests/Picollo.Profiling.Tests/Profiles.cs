using System.IO.Compression;

namespace Picollo.Profiling.Tests;

/// <summary>Builds profiles from given stacks.</summary>
internal static class Profiles
{
    /// <summary>Names that break formats: separators, line ends, control sequences of a terminal, halves of surrogate pairs.</summary>
    private static readonly string[] Names =
    [
        "Main", "Parse", "Main.Parse", "List`1.Add", "Program.<Main>$", "operator new(unsigned long)", "a;b", "c\r\nd", "\e[1m", "\0", "x\u2028y",
        "\u202Eevil", "\uD800", "\uDC00\uD800", "naïve", "名前", "\U0001F600", "\"quoted\\\"", "", " ", "12", "x 12",
    ];

    private static readonly string[] Modules = ["App.dll", "libc.so.6", "[kernel.kallsyms]", "a\nb", "", "\\\"", "/x/y.so"];

    public static CpuProfileFrame Managed(string name) => new(name, "App.dll", CpuProfileFrameKind.Managed);

    /// <summary>Returns a profile of folded stacks, such as <c>Main;Work 60</c>.</summary>
    public static CpuProfile Of(params string[] folded) => OfFrames([.. folded.Select(line =>
    {
        int space = line.LastIndexOf(' ');
        CpuProfileFrame[] stack = [.. line[..space].Split(';').Select(Managed)];
        return (stack, long.Parse(line[(space + 1)..], System.Globalization.CultureInfo.InvariantCulture));
    })]);

    public static CpuProfile OfFrames(params (CpuProfileFrame[] Stack, long Count)[] stacks) => new(new ProfileData(RootOf(stacks))
    {
        Title = "app (process 42)",
        StartTime = new DateTime(2026, 11, 25, 12, 0, 0, DateTimeKind.Utc),
        Duration = TimeSpan.FromSeconds(5),
        Frequency = 100,
    });

    /// <summary>Returns the root of a tree of these stacks.</summary>
    public static CpuProfileNode RootOf(params (CpuProfileFrame[] Stack, long Count)[] stacks)
    {
        var root = new CpuProfileNode(new CpuProfileFrame("all", "", CpuProfileFrameKind.Group));
        foreach ((CpuProfileFrame[] stack, long count) in stacks)
        {
            root.Add(stack, count);
        }

        return root;
    }

    /// <summary>Returns a profile of random stacks with names that break formats.</summary>
    public static CpuProfile Random(Random random) => OfFrames([.. Enumerable.Range(0, random.Next(100)).Select(_ =>
    {
        CpuProfileFrame[] stack =
        [
            .. Enumerable.Range(0, random.Next(12)).Select(_ => new CpuProfileFrame(
                Names[random.Next(Names.Length)],
                Modules[random.Next(Modules.Length)],
                (CpuProfileFrameKind)random.Next(1 + (int)CpuProfileFrameKind.Group))),
        ];
        return (stack, random.NextInt64(1, 1L << random.Next(1, 40)));
    })]);

    public static CpuProfile Read(byte[] pprof)
    {
        using MemoryStream stream = new(pprof);
        return CpuProfile.ReadPprof(stream);
    }

    /// <summary>Returns the profile in the format of pprof.</summary>
    public static byte[] Written(CpuProfile profile)
    {
        using MemoryStream stream = new();
        profile.WritePprof(stream);
        return stream.ToArray();
    }

    /// <summary>Returns the profile in the format of pprof, not compressed.</summary>
    public static byte[] Decompressed(CpuProfile profile)
    {
        using GZipStream gzip = new(new MemoryStream(Written(profile)), CompressionMode.Decompress);
        using MemoryStream stream = new();
        gzip.CopyTo(stream);
        return stream.ToArray();
    }

    public static string Json(CpuProfile profile)
    {
        using StringWriter json = new() { NewLine = "\r\n" }; // the format has the line ends of Unix
        profile.WriteJson(json);
        return json.ToString();
    }

    /// <summary>Returns the text that a method writes, with the line ends of Unix.</summary>
    public static string Text(Action<TextWriter> write)
    {
        using StringWriter text = new() { NewLine = "\n" };
        write(text);
        return text.ToString();
    }

    public static void ShouldBeGolden(this string output, string name)
    {
        string path = Path.Combine(Repository.Root, $"tests/Picollo.Profiling.Tests/Output/{name}.txt");
        if (Environment.GetEnvironmentVariable("PICOLLO_APPROVE") == "1")
        {
            File.WriteAllText(path, output);
        }

        output.Should().Be(File.ReadAllText(path).ReplaceLineEndings("\n"), $"PICOLLO_APPROVE=1 with this test writes {path}");
    }

    /// <summary>Asserts that all samples without a name are in local functions of native libraries, which have no symbols. Their number
    /// depends on the machine.</summary>
    public static void ShouldHaveNamesOutsideLibraries(this CpuProfile profile) =>
        profile.GetMethods()
            .Where(method => method.OwnValue > 0 && method.Frame.Kind == CpuProfileFrameKind.Unnamed
                && !method.Frame.Module.Contains(".so", StringComparison.Ordinal))
            .Select(method => $"{method.Frame.Name}: {method.OwnValue} of {profile.SampleCount}")
            .Should().BeEmpty();
}
