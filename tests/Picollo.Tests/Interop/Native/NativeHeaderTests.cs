using System.Globalization;
using System.Text.RegularExpressions;
using Picollo.Interop.Native;

namespace Picollo.Tests.Interop;

/// <summary>The C header and its managed counterpart are written by hand and must be consistent.</summary>
public partial class NativeHeaderTests
{
    [Fact]
    public void The_C_header_and_the_managed_code_have_the_same_version()
    {
        using Stream header = typeof(NativeHeaderTests).Assembly.GetManifestResourceStream("picollo_native.h")!;
        string text = new StreamReader(header).ReadToEnd();

        int version = int.Parse(Version().Match(text).Groups[1].Value, CultureInfo.InvariantCulture);

        version.Should().Be(NativeShim.AbiVersion);
    }

    [GeneratedRegex(@"#define PICOLLO_ABI_VERSION (\d+)")]
    private static partial Regex Version();
}
