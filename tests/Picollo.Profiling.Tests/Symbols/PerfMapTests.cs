using System.Text;
using Picollo.Profiling.Symbols;

namespace Picollo.Profiling.Tests.Symbols;

public class PerfMapTests
{
    [Theory]
    [InlineData(0x0fff, null)]
    [InlineData(0x1000, "first")]
    [InlineData(0x10ff, "first")]
    [InlineData(0x1100, null)]
    [InlineData(0x2000, "second one")]
    [InlineData(0x20ff, "second one")]
    [InlineData(0x2100, null)]
    public void A_method_contains_addresses_from_its_start_to_before_its_end(ulong address, string? expected) =>
        Parse("2000 100 second one\n0x1000 100 first\n").NameAt(address).Should().Be(expected);

    [Fact]
    public void The_last_compiled_method_is_found_in_reused_memory()
    {
        PerfMap map = Parse("1000 100 old\n2000 80 inner\n1000 40 new\n1f00 400 outer\n");

        map.NameAt(0x1010).Should().Be("new");
        map.NameAt(0x1050).Should().Be("old");
        map.NameAt(0x2010).Should().Be("outer");
    }

    [Theory]
    [InlineData("")]
    [InlineData("\n\n")]
    [InlineData("1000")]
    [InlineData("1000 10")]
    [InlineData("1000 10 ")]
    [InlineData("1000 0 empty")]
    [InlineData("-1000 10 name")]
    [InlineData("1000 zz name")]
    [InlineData("11111111111111111 10 name")]
    [InlineData(" 1000 10 name")]
    [InlineData("\0\0\0\0")]
    public void A_line_of_another_form_is_skipped(string line)
    {
        PerfMap map = Parse($"{line}\n5000 10 method\n");

        map.NameAt(0x1000).Should().BeNull();
        map.NameAt(0x5000).Should().Be("method");
    }

    [Fact]
    public void A_size_beyond_the_address_space_is_harmless()
    {
        PerfMap map = Parse("1000 ffffffffffffffff huge\nffffffffffffff00 ffff last\n");

        map.NameAt(ulong.MaxValue).Should().Be("last");
        map.NameAt(0).Should().BeNull();
        map.NameAt(0x2000).Should().Be("huge");
    }

    [Theory]
    [InlineData("1000 10 method\n", true)]
    [InlineData("1000 10 method\n2000 10 met", false)]
    [InlineData("\n", false)]
    [InlineData("", false)]
    public void A_map_is_complete_if_its_last_line_is_complete(string text, bool isComplete) => Parse(text).IsComplete.Should().Be(isComplete);

    [Fact]
    public void The_number_of_methods_is_bounded()
    {
        byte[] text = new byte[6 * 2_100_000];
        for (int i = 0; i < text.Length; i += 6)
        {
            "1 1 a\n"u8.CopyTo(text.AsSpan(i));
        }

        PerfMap.Parse(text).IsComplete.Should().BeFalse();
    }

    [Fact]
    public void An_endless_name_is_truncated() =>
        Parse("1000 10 " + new string('x', 100_000)).NameAt(0x1000)!.Length.Should().Be(MethodNames.MaxLength);

    [Theory]
    [InlineData("void [pm] App.Prog::Main()[QuickJitted]", "App.Prog.Main", "pm.dll", "QuickJitted")]
    [InlineData("instance void [pm] App.Prog+<Work>d__0::MoveNext()[Tier1-OSR]", "App.Prog.Work", "pm.dll", "Tier1-OSR")]
    [InlineData("class [System.Runtime]System.Threading.Tasks.Task`1<int32> [pm] App.Prog::Work(int32)[Tier1]", "App.Prog.Work", "pm.dll", "Tier1")]
    [InlineData("int32[] [pm] App.Prog::Get(int32[],class [System.Runtime]System.Object)", "App.Prog.Get", "pm.dll", "")]
    [InlineData("int32 [Anonymously Hosted DynamicMethods Assembly] dynamicClass::lambda_method1(System.Closure /* MT: 0x7f86 */)[Optimized]",
        "dynamicClass.lambda_method1", "Anonymously Hosted DynamicMethods Assembly", "Optimized")]
    [InlineData("System.Handle /* MT: 0x7f */ [System.Private.CoreLib] dynamicClass::IL_STUB_PInvoke(void*)[Optimized]",
        "dynamicClass.IL_STUB_PInvoke", "System.Private.CoreLib.dll", "Optimized")]
    public void The_text_of_a_method_has_a_name_a_module_and_a_tier(string text, string name, string module, string tier) =>
        PerfMapMethod.Parse(text).Should().Be(new PerfMapMethod(name, module, tier));

    [Theory]
    [InlineData("stub ReportStubBlock<Unknown>")]
    [InlineData("memcpy")]
    [InlineData("")]
    [InlineData("] [")]
    public void Other_text_is_not_a_method(string text) => PerfMapMethod.Parse(text).Should().BeNull();

    private static PerfMap Parse(string text) => PerfMap.Parse(Encoding.UTF8.GetBytes(text));
}
