using Picollo.Export.Text;

namespace Picollo.Export.Tests.Text;

public class FittedNamesTests
{
    [Fact]
    public void Names_that_fit_are_unchanged() =>
        FittedNames.From(["before", "after", "two\nlines"], 12).Should().Equal("before", "after", "two lines");

    [Theory]
    [InlineData("Company.Product.Benchmarks.Reading.Parse(size: ", "10", "1000", ", mode: Cold, encoding: Utf8)")]
    [InlineData("", "first", "second", " of a long name that all of them have in common")]
    [InlineData("a long name that all of them have in common, and then the ", "first", "second", "")]
    public void The_parts_in_which_names_differ_are_kept(string head, string one, string other, string tail)
    {
        string[] names = FittedNames.From([head + one + tail, head + other + tail], 30);
        names[0].Should().Contain(one);
        names[1].Should().Contain(other);
        names.Should().OnlyContain(name => FittedText.LettersOf(name) <= 30 && name.Contains('…'));
        names.Should().OnlyContain(name => FittedText.LettersOf(name) > 24, "shortened names use the available space");
    }

    [Fact]
    public void Different_names_remain_different_and_fit() => Seeded.Run(300, random =>
    {
        const string Letters = "aaab.WÄ名\u0301";
        int letters = random.Next(12, 40);
        string common = Text(random.Next(0, 60));
        string[] names = [.. Enumerable.Range(0, random.Next(2, 12)).Select(_ => Text(random.Next(0, 60)) + common + Text(random.Next(0, 60)))];

        string[] parts = FittedNames.From(names, letters);

        parts.Distinct().Should().HaveSameCount(names.Distinct());
        parts.Should().OnlyContain(part => FittedText.LettersOf(part) <= letters);
        string Text(int length) => new([.. Enumerable.Range(0, length).Select(_ => Letters[random.Next(Letters.Length)])]);
    });

    [Fact]
    public void Names_that_differ_in_too_much_are_numbered()
    {
        string rest = new('x', 60);
        string[] names = [$"1{rest}1{rest}1", $"1{rest}2{rest}1", $"2{rest}1{rest}2"];
        FittedNames.From(names, 20).Should().Equal("1xxxxxxxxxx…xxxxx1", "1xxxxxxx…xxxx1 (2)", "2xxxxxxxxxx…xxxxx2");
    }

    [Fact]
    public void Thousands_of_similar_names_are_numbered_quickly()
    {
        string[] names = [.. Enumerable.Range(0, 20_000).Select(i => $"{i}{new string('x', 100)}{i}")];
        FittedNames.From(names, 12).Should().OnlyHaveUniqueItems();
    }

    [Theory]
    [InlineData("one two three", 20, "one two three")]
    [InlineData("one two three", 9, "one two|three")]
    [InlineData("Company.Product.Type", 18, "Company.Product.|Type")]
    [InlineData("aaaaaaaaaaaaaaaaaaaa", 8, "aaaaaaaa|aaaaaaaa|aaaa")]
    [InlineData("", 8, "")]
    public void Lines_end_between_words_if_possible(string text, int letters, string lines) =>
        string.Join('|', FittedText.Wrap(text, letters)).Should().Be(lines);
}
