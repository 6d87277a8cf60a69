using System.Text;
using Picollo.Profiling.Symbols;

namespace Picollo.Profiling.Tests.Symbols;

public class KernelSymbolsTests
{
    private const string Lines =
        """
        0000000000000000 A fixed_percpu_data
        ffffffff81000000 T __text_start
        ffffffff81000000 t local
        ffffffff81000000 T _stext
        ffffffff810000f0 w weak_local
        ffffffff81000100 W weak_function
        ffffffff81000180 D data
        ffffffffc0000010 t nft_do_chain	[nf_tables]
        ffffffffc0000000 t first_of_module	[nf_tables]
        damaged
        ffffffff81000200 t
        ffffffff81000300
        """;

    [Theory]
    [InlineData(0xffffffff80ffffff, null, null)]
    [InlineData(0xffffffff81000000, "_stext", "[kernel]")]
    [InlineData(0xffffffff810000ef, "_stext", "[kernel]")]
    [InlineData(0xffffffff810000ff, "weak_local", "[kernel]")]
    [InlineData(0xffffffff81000100, "weak_function", "[kernel]")]
    [InlineData(0xffffffffbfffffff, "weak_function", "[kernel]")]
    [InlineData(0xffffffffc0000000, "first_of_module", "[nf_tables]")]
    [InlineData(0xffffffffc0000011, "nft_do_chain", "[nf_tables]")]
    [InlineData(0UL, null, null)]
    public void The_last_function_before_an_address_is_found(ulong address, string? name, string? module)
    {
        KernelSymbols symbols = KernelSymbols.TryParse(Encoding.UTF8.GetBytes(Lines), out string? reason)!;

        (symbols.Find(address)?.Name, symbols.Find(address)?.Module).Should().Be((name, module));
        reason.Should().BeNull();
    }

    [Fact]
    public void Hidden_addresses_are_reported_and_a_last_line_without_an_end_is_read()
    {
        foreach (string lines in (string[])["", "0000000000000000 T _stext\n0000000000000000 t nft_do_chain\t[nf_tables]\n", "ffffffff81000180 D data\n"])
        {
            KernelSymbols.TryParse(Encoding.UTF8.GetBytes(lines), out string? reason).Should().BeNull();
            reason.Should().Contain("kernel.kptr_restrict").And.Contain("CAP_SYSLOG");
        }

        KernelSymbols.TryParse("ffffffffc0000010 t nft_do_chain\t[nf_tables]"u8.ToArray(), out _)!.Find(0xffffffffc0000010)
            .Should().Be(("nft_do_chain", "[nf_tables]"));
        (KernelSymbols.TryRead(out string? why) is null).Should().Be(why is not null);
    }
}
