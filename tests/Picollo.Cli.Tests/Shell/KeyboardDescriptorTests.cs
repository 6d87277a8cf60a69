using System.Runtime.Versioning;
using Picollo.Cli.Tests.Top;

namespace Picollo.Cli.Tests.Shell;

[UnsupportedOSPlatform("windows")]
[Trait("Category", "Slow")]
public class KeyboardDescriptorTests
{
    [FactNeeding(Need.Tmux)]
    public void Child_processes_inherit_no_descriptor_of_the_keyboard()
    {
        using TopInTerminal top = new("< /dev/null");

        Descriptor[] own = [.. Descriptor.Of(top.OwnId).Where(each => each.Number > 2)];

        own.Should().Contain(each => each.Target == "/dev/tty", "standard input is not a terminal in this test");
        own.Where(each => each.IsInherited && (each.Target == "/dev/tty" || each.Target.StartsWith("pipe:", StringComparison.Ordinal))).Should().BeEmpty();
    }
}
