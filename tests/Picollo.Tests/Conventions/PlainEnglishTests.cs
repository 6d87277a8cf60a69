namespace Picollo.Tests.Conventions;

/// <summary>Runs tests/plain-english.sh, which lists the banned phrases and what to write instead.</summary>
public sealed class PlainEnglishTests : IDisposable
{
    /// <summary>A line for each row of the script, in its order.</summary>
    private static readonly string[] Examples =
    [
        "The user is told the reason.",
        "At the begin of a line.",
        "The number stands in the file.",
        "A stopwatch beside a clock.",
        "All but for one.",
        "Wait for so long.",
        "public void Whoever_waits_is_woken()",
        "This is no address.",
        "Any text, be it short or long.",
        "Each has a thread of its own.",
        "The value shall be positive.",
        "A list, and the parts thereof.",
        "Null likewise.",
        "The name is registered already.",
        "Two thousand million calls.",
        "The exception has the reason.",
        "Some milliseconds later.",
        "public bool IsCancelled => _isCanceled;",
        "/// <returns>How.</returns>",
    ];

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("picollo-english-");

    [FactNeeding(Need.Linux)]
    public void No_text_contains_a_banned_phrase() => Check().Should().BeEmpty();

    [TheoryNeeding(Need.Linux)]
    [InlineData("The user is told the reason.", "report, return or say")]
    [InlineData("public void Whoever_waits_is_woken()", "no process, any caller")]
    [InlineData("public int MostTold => _nobodyReads;", "report, return or say")]
    [InlineData("private bool _nobodyReads;", "no process, any caller")]
    [InlineData("This is no address.", "is not a")]
    [InlineData("/// <returns>How.</returns>", "a noun phrase or a sentence")]
    [InlineData("The name is registered already.", "is already ...")]
    [InlineData("The task was cancelled.", "the American spelling, as in .NET")]
    public void A_banned_phrase_is_reported_with_its_replacement(string line, string replacement)
    {
        string file = Write("text.md", $"Plain text.\n{line}\n");

        FluentActions.Invoking(() => Check(file)).Should().Throw<InvalidOperationException>()
            .WithMessage($"*ended with 1:*{file}:2:{line}*write: {replacement}*");
    }

    [FactNeeding(Need.Linux)]
    public void Each_row_of_the_script_finds_a_phrase()
    {
        string file = Write("text.md", string.Join('\n', Examples) + "\n");

        Report(() => Check(file)).Where(line => line.StartsWith(file, StringComparison.Ordinal))
            .Should().Equal(Examples.Select((line, i) => $"{file}:{i + 1}:{line}"));
        File.ReadLines(Path.Combine(Repository.Root, "tests", "plain-english.sh"))
            .SkipWhile(line => line != "readonly PHRASES=(").TakeWhile(line => line != ")").Skip(1).Should().HaveSameCount(Examples);
    }

    [FactNeeding(Need.Linux)]
    public void Ordinary_uses_of_similar_words_are_accepted()
    {
        string file = Write(
            "text.md", "There is no address, and it is no longer needed. A telling name; a standard; STANDARD; showman; of its owner; a promise.\n");

        Check(file).Should().BeEmpty();
    }

    // The bytes are not valid UTF-8. In Turkish, I is not the upper case of i.
    [FactNeeding(Need.Linux)]
    public void Phrases_are_found_in_any_encoding_and_language()
    {
        string file = Path.Combine(_folder.FullName, "text.md");
        File.WriteAllBytes(file, [.. "THIS IS NO TEXT\0"u8, 0xE9, 0xFF, .. ".\r\nA thread of its own\r\nNULL LIKEWISE\n"u8]);

        Report(() => Run(Repository.Root, "tr_TR.UTF-8", file)).Count(line => line.StartsWith(file, StringComparison.Ordinal)).Should().Be(3);
    }

    [FactNeeding(Need.Linux)]
    public void All_texts_of_the_repository_are_checked_except_those_that_are_allowed()
    {
        string[] found =
        [
            "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Directory.Build.props", "Directory.Build.targets", "build.sh",
            ".github/workflows/ci.yml", "build/needs.sh", "docs/guide.md", "native/part.c", "native/part.h", "samples/Web/README.md",
            "src/One/One.csproj", "src/One/Page/page.css", "src/One/Page/page.html", "src/One/Page/page.js", "src/One/allowed.cs",
            "benchmarks/One/Program.cs", "tests/App/Page.razor", "src/One/dashboard.json", "tests/Java/Codec.java", "tests/One/OneTests.cs",
        ];
        string[] skipped =
        [
            "src/One/bin/x.cs", "src/One/obj/x.cs", "native/out/x.c", "tests/One/Golden/x.md", "tests/One/Data/x.md", "docs/page.svg",
        ];
        foreach (string file in found.Concat(skipped))
        {
            Write(file, "The user is told the reason.\nThe name is told.\n");
        }

        Write("tests/plain-english.allowed", "src/One/allowed.cs: the reason\nsrc/One/allowed: name\nsrc/One/Page/page.js: \n");
        File.Copy(Path.Combine(Repository.Root, "tests", "plain-english.sh"), Path.Combine(_folder.FullName, "tests", "plain-english.sh"));

        Report(() => Run(_folder.FullName, "C")).Where(line => line.Contains(":1:") || line.Contains(":2:")).Should().BeEquivalentTo(
            found.SelectMany(file => new[] { $"{file}:1:The user is told the reason.", $"{file}:2:The name is told." })
                .Where(line => !line.StartsWith("src/One/allowed.cs:1:", StringComparison.Ordinal)));
    }

    [FactNeeding(Need.Linux)]
    public void A_file_that_cannot_be_searched_is_an_error() => FluentActions.Invoking(() => Check("none.md"))
        .Should().Throw<InvalidOperationException>().WithMessage("*ended with 2:*none.md: No such file*");

    public void Dispose() => _folder.Delete(recursive: true);

    private static string[] Report(Func<string> check) =>
        FluentActions.Invoking(check).Should().Throw<InvalidOperationException>().WithMessage("*ended with 1:*").Which.Message.Split('\n');

    private static string Check(params string[] files) => Run(Repository.Root, null, files);

    private static string Run(string root, string? locale, params string[] files)
    {
        Dictionary<string, string?> environment = locale is null ? [] : new() { ["LC_ALL"] = locale };
        return Tool.Run("bash", root, environment, ["tests/plain-english.sh", .. files]);
    }

    private string Write(string path, string text)
    {
        string file = Path.Combine(_folder.FullName, path);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
        return file;
    }
}
