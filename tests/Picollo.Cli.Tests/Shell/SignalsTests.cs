using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests.Shell;

public class SignalsTests
{
    [Fact]
    public void Signals_are_found_by_number_and_name()
    {
        ((string[])["15", "TERM", "sigterm", "SigKill", "1", "64"]).Select(Signals.Find).Should().Equal(15, 15, 15, 9, 1, 64);
        ((string[])["0", "65", "-9", "99999999999", "", "SIG", "SIGSIGTERM", "nonsense"])
            .Should().OnlyContain(text => Signals.Find(text) == null);
    }

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
