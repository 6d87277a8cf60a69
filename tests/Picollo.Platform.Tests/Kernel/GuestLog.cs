using System.Globalization;

namespace Picollo.Platform.Tests.Kernel;

/// <summary>The output of a guest: "PASS check" and "FAIL check" after the messages of each check, and facts as "name=value".</summary>
internal sealed class GuestLog(string text)
{
    private readonly string[] _lines = text.Split('\n').Select(line => line.Trim()).ToArray();

    public void ShouldHavePassed(string check)
    {
        bool hasPassed = _lines.Contains($"PASS {check}") && !_lines.Any(line => line == $"FAIL {check}" || line.StartsWith($"FAIL {check}:", StringComparison.Ordinal));
        hasPassed.Should().BeTrue("'{0}' must pass, but the guest printed:\n{1}", check, text);
    }

    public string Fact(string name)
    {
        string? line = _lines.LastOrDefault(line => line.StartsWith(name + "=", StringComparison.Ordinal));
        line.Should().NotBeNull("the guest must print '{0}', but it printed:\n{1}", name, text);
        return line![(name.Length + 1)..];
    }

    public long Number(string name) => long.Parse(Fact(name), CultureInfo.InvariantCulture);
}
