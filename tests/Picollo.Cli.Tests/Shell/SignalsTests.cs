using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests.Shell;

public class SignalsTests
{
    [Theory]
    [InlineData("15", 15)]
    [InlineData("TERM", 15)]
    [InlineData("sigterm", 15)]
    [InlineData("SigKill", 9)]
    [InlineData("1", 1)]
    [InlineData("64", 64)]
    [InlineData("0", null)]
    [InlineData("65", null)]
    [InlineData("-9", null)]
    [InlineData("99999999999", null)]
    [InlineData("", null)]
    [InlineData("SIG", null)]
    [InlineData("SIGSIGTERM", null)]
    [InlineData("nonsense", null)]
    public void Signals_are_found_by_number_and_name(string text, int? signal) => Signals.Find(text).Should().Be(signal);

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Names_match_the_system()
    {
        string[] names = PicolloTool.RunInShell("for n in $(seq 31); do kill -l $n; done").Output.Split('\n', StringSplitOptions.RemoveEmptyEntries);

        Enumerable.Range(1, 31).Select(Signals.NameOf).Should().Equal(names.Select(name => $"SIG{name}"));
        names.Select(Signals.Find).Should().Equal(Enumerable.Range(1, 31).Cast<int?>());
        Signals.NameOf(64).Should().Be("signal 64");
    }
}
