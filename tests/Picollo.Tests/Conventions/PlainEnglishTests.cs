namespace Picollo.Tests.Conventions;

public sealed class PlainEnglishTests
{
    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void No_text_contains_a_phrase_that_the_script_rejects() =>
        Tool.Run("bash", Repository.Root, new Dictionary<string, string?>(), "tests/plain-english.sh").Should().BeEmpty();
}
