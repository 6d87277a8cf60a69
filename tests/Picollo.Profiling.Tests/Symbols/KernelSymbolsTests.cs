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
    [InlineData(0xffffffff810000ff, "_stext", "[kernel]")]
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
    public void A_last_line_without_an_end_is_read()
    {
        KernelSymbols symbols = KernelSymbols.TryParse("ffffffffc0000010 t nft_do_chain\t[nf_tables]"u8.ToArray(), out _)!;

        symbols.Find(0xffffffffc0000010).Should().Be(("nft_do_chain", "[nf_tables]"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("0000000000000000 T _stext\n0000000000000000 t nft_do_chain\t[nf_tables]\n")]
    [InlineData("ffffffff81000180 D data\n")]
    public void Hidden_addresses_are_reported(string lines)
    {
        KernelSymbols.TryParse(Encoding.UTF8.GetBytes(lines), out string? reason).Should().BeNull();

        reason.Should().Contain("kernel.kptr_restrict").And.Contain("CAP_SYSLOG");
    }

    [FactNeeding(Need.Linux)]
    public void The_functions_of_this_kernel_are_read_or_a_reason_is_reported()
    {
        KernelSymbols? symbols = KernelSymbols.TryRead(out string? reason);

        (symbols is null).Should().Be(reason is not null);
    }
}
