namespace Picollo.Tests.Conventions;

/// <summary>Runs tests/plain-english.sh, which lists the banned phrases and what to write instead.</summary>
public sealed class PlainEnglishTests : IDisposable
{
    private readonly string _file = Path.Combine(Path.GetTempPath(), $"picollo-{Guid.NewGuid():N}.md");

    [FactNeeding(Need.Linux)]
    public void No_text_contains_a_banned_phrase() => Check().Should().BeEmpty();

    [TheoryNeeding(Need.Linux)]
    [InlineData("The user is told the reason.", "report, return or say")]
    [InlineData("public void Whoever_waits_is_woken()", "no process, any caller")]
    [InlineData("This is no address.", "is not a")]
    [InlineData("/// <returns>How.</returns>", "a noun phrase or a sentence")]
    [InlineData("The name is registered already.", "is already ...")]
    [InlineData("The task was cancelled.", "the American spelling, as in .NET")]
    public void A_banned_phrase_is_reported_with_its_replacement(string line, string replacement)
    {
        File.WriteAllText(_file, $"Plain text.\n{line}\n");

        FluentActions.Invoking(() => Check(_file)).Should().Throw<InvalidOperationException>()
            .WithMessage($"*{_file}:2:{line}*write: {replacement}*");
    }

    [FactNeeding(Need.Linux)]
    public void Ordinary_uses_of_similar_words_are_accepted()
    {
        File.WriteAllText(_file, "There is no address, and it is no longer needed. A telling name; a standard; showman; of its owner.\n");

        Check(_file).Should().BeEmpty();
    }

    public void Dispose() => File.Delete(_file);

    private static string Check(params string[] files) =>
        Tool.Run("bash", Repository.Root, new Dictionary<string, string?>(), ["tests/plain-english.sh", .. files]);
}
