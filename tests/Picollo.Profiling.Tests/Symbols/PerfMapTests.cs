using System.Text;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Tests.Symbols;

public class PerfMapTests
{
    [Fact]
    public void A_method_contains_addresses_from_its_start_to_before_its_end_and_the_last_one_is_found() => Seeded.Run(200, random =>
    {
        (int Start, int Size)[] lines = [.. Enumerable.Range(0, random.Next(1, 120)).Select(_ => (random.Next(1, 40), random.Next(1, 20)))];

        PerfMap map = Parse(string.Concat(lines.Select((line, i) => $"{line.Start:x} {line.Size:x} m{i}\n")));

        for (int address = 0; address < 64; address++)
        {
            int last = Array.FindLastIndex(lines, line => address >= line.Start && address < line.Start + line.Size);
            map.NameAt((ulong)address).Should().Be(last < 0 ? null : $"m{last}");
        }
    });

    // Node.js 20, Java (perf-map-agent), Wasmtime, LuaJIT, Julia, CPython 3.12 and PHP 8.
    [Theory]
    [InlineData("7f2a780062c0 180 JS:*fib /srv/a b.js:1:13", 0x7f2a780062c0, "JS:*fib /srv/a b.js:1:13")]
    [InlineData("9338304bbae b JS:~get [Symbol.toStringTag] node:internal/url:1:2", 0x9338304bbae, "JS:~get [Symbol.toStringTag] node:internal/url:1:2")]
    [InlineData("18c4000 300 Builtin:DeoptimizationEntry_Eager", 0x18c42ff, "Builtin:DeoptimizationEntry_Eager")]
    [InlineData("7f5e1d000100 2c0 Lcom/example/App;::work(I)I", 0x7f5e1d000100, "Lcom/example/App;::work(I)I")]
    [InlineData("0x7f5e1d000100 0x2c0 wasm[0]::function[5]::fib", 0x7f5e1d0003bf, "wasm[0]::function[5]::fib")]
    [InlineData("0x00007f5e1d000100 0x00000000000002c0 wasm[0]::function[5]::fib", 0x7f5e1d0003bf, "wasm[0]::function[5]::fib")]
    [InlineData("0X7F5E1D000100 0X2C0 TRACE_1::app.lua:3", 0x7f5e1d000100, "TRACE_1::app.lua:3")]
    [InlineData("7F5E1D00ABCD 2C julia_fib_123", 0x7f5e1d00abcd, "julia_fib_123")]
    [InlineData("00007f5e1d000100 0000002c py::fib:/app/a.py", 0x7f5e1d000100, "py::fib:/app/a.py")]
    [InlineData("7f5e1d000100\t2c\tApp::work", 0x7f5e1d000100, "App::work")]
    [InlineData("7f5e1d000100  2c  App::work", 0x7f5e1d000100, "App::work")]
    [InlineData("7f5e1d000100 2c App::work\r", 0x7f5e1d000100, "App::work")]
    public void The_lines_of_other_compilers_are_read(string line, ulong address, string name) => Parse(line + "\n").NameAt(address).Should().Be(name);

    [Fact]
    public void An_incomplete_last_line_is_skipped() => Parse("1000 10 one\n2000 10 JS:*calcul").NameAt(0x2000).Should().BeNull();

    [Theory]
    [InlineData(false, "class [System.Runtime]System.String [app] App.Prog::Main()[Tier1]", CpuProfileFrameKind.Native)]
    [InlineData(true, "App.Prog.Main", CpuProfileFrameKind.Managed)]
    public void Only_names_of_NET_are_parsed(bool isDotnet, string name, CpuProfileFrameKind kind)
    {
        PerfMap map = PerfMap.Parse("1000 10 class [System.Runtime]System.String [app] App.Prog::Main()[Tier1]\n"u8.ToArray(), isDotnet);
        var code = new CodeMap([], map, new CodeImages(new ProcessFiles(Environment.ProcessId)), includesKernel: false, kernel: null, showsTiers: false);

        CpuProfileFrame frame = code.At(0x1000).Frame;

        (frame.Name, frame.Kind).Should().Be((name, kind));
    }

    [Theory]
    [InlineData("1000 10 method\n", "[runtime stub]")]
    [InlineData("1000 10 method\n1100 20 met", "memfd:doublemapper (deleted)+0x100")]
    public void Code_between_methods_is_a_stub_if_the_map_is_complete(string text, string name)
    {
        CodeMapping runtime = new(0x1000, 0x1000, 0, "/memfd:doublemapper (deleted)");
        new CodeMap([runtime], Parse(text), new CodeImages(new ProcessFiles(Environment.ProcessId)), false, null, false).At(0x1100).Frame.Name.Should().Be(name);
    }

    [Fact]
    public void Lines_of_another_form_are_skipped()
    {
        PerfMap map = Parse("\n\n1000\n1000 10\n1000 10 \n1000 0 empty\n-1000 10 name\n1000 zz name\n11111111111111111 10 name\n 1000 10 name\n\0\0\0\0\n"
            + "5000 10 method\n");

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

    [Fact]
    [Trait("Category", "Slow")]
    public void A_map_is_complete_if_its_last_line_is_complete_and_the_number_of_methods_and_their_names_are_limited()
    {
        Parse("1000 10 method\n").IsComplete.Should().BeTrue();
        string[] incomplete = ["1000 10 method\n2000 10 met", "\n", "", string.Concat(Enumerable.Repeat("1 1 a\n", 2_100_000))];
        incomplete.Should().OnlyContain(text => !Parse(text).IsComplete);
        Parse("1000 10 " + new string('x', 100_000) + "\n").NameAt(0x1000)!.Length.Should().Be(MethodNames.MaxLength);
    }

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

    [Fact]
    public void Other_text_is_not_a_method() =>
        ((string[])["stub ReportStubBlock<Unknown>", "memcpy", "", "] ["]).Select(PerfMapMethod.Parse)
            .Should().AllSatisfy(method => method.Should().BeNull());

    private static PerfMap Parse(string text) => PerfMap.Parse(Encoding.UTF8.GetBytes(text), isDotnet: false);
}
