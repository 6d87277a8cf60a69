using System.Text.RegularExpressions;
using Picollo.Diagnostics.Meters;

namespace Picollo.Diagnostics.Tests.Meters;

public class NamePatternTests
{
    /// <summary>Compares with the implementation of OpenTelemetry's SDK (WildcardHelper).</summary>
    [Fact]
    public void Any_pattern_matches_like_the_regular_expression_of_OpenTelemetry() => Seeded.Run(20_000, random =>
    {
        string pattern = Text("aAbB*?.", 7);
        string name = Text("aAbB.", 9);
        string expression = $"^(?:{Regex.Escape(pattern).Replace("\\*", ".*", StringComparison.Ordinal).Replace("\\?", ".", StringComparison.Ordinal)})$";

        NamePattern.Matches(pattern, name).Should().Be(Regex.IsMatch(name, expression, RegexOptions.IgnoreCase | RegexOptions.CultureInvariant), "{0} of {1}", pattern, name);

        string Text(string letters, int most) =>
            new([.. Enumerable.Range(0, random.Next(most)).Select(_ => letters[random.Next(letters.Length)])]);
    });

    [Fact]
    public void A_pattern_with_many_stars_is_matched_quickly() =>
        NamePattern.Matches(string.Concat(Enumerable.Repeat("a*", 2000)) + "b", new string('a', 5000)).Should().BeFalse();
}
