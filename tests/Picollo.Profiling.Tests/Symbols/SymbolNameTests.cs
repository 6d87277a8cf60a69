using System.Text;
using Picollo.Profiling.Symbols;

namespace Picollo.Profiling.Tests.Symbols;

public class SymbolNameTests
{
    [Fact]
    public void Names_are_demangled()
    {
        foreach ((string symbol, string name) in new[]
        {
            ("main", "main"), ("_Z3fooi", "foo"), ("_ZL3foov", "foo"), ("_ZN3foo3barEi", "foo::bar"), ("_ZNK3foo3barEv", "foo::bar"),
            ("_ZN3fooL3barEv.constprop.0", "foo::bar"), ("_ZN3fooC1Ev", "foo::foo"), ("_ZN3fooD0Ev", "foo::~foo"),
            ("_ZNSt6thread4joinEv", "std::thread::join"), ("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo"),
            // The expected names are the output of c++filt --no-params.
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"), ("_Z3fooIiEvT_", "foo<int>"),
            ("_ZN3fooIiE3barEv", "foo<int>::bar"), ("_Z3fooB5cxx11v", "foo[abi:cxx11]"), ("_ZN3foo3barB5cxx11Ev", "foo::bar[abi:cxx11]"),
            ("_ZZN3foo3barEvE1x", "foo::bar()::x"), ("_ZZN3foo3barEvENKUlvE_clEv", "foo::bar()::{lambda()#1}::operator()"),
            ("_ZZ3foovENKUlT_T0_E_clIiiEEDaS_S0_", "foo()::{lambda(auto:1, auto:2)#1}::operator()<int, int>"),
            ("_ZN3fooplERKS_", "foo::operator+"), ("_ZN3foolsIiEERS_T_", "foo::operator<< <int>"), ("_ZN3foocvbEv", "foo::operator bool"),
            ("_ZN3fooltIiEEbv", "foo::operator< <int>"), ("_ZN3foonwEm", "foo::operator new"), ("_ZN3fooIJicEEC2Ev", "foo<int, char>::foo"),
            ("_ZN3fooIJEED1Ev", "foo<>::~foo"), ("_ZSt9make_pairIRiPKcESt4pairIT_T0_EOS4_OS5_", "std::make_pair<int&, char const*>"),
            ("_ZSt7forwardIRKSsEOT_RNSt16remove_referenceIS2_E4typeE",
            "std::forward<std::basic_string<char, std::char_traits<char>, std::allocator<char> > const&>"),
            ("_ZNSs6appendEPKc", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::append"),
            ("_ZNSsC1Ev", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string"),
            ("_ZN1aIFviEE1bEv", "a<void (int)>::b"), ("_ZN1aIPFivEE1bEv", "a<int (*)()>::b"),
            ("_ZN1aIM1cKFvvEE1bEv", "a<void (c::*)() const>::b"), ("_ZN1aIRA3_KcE1bEv", "a<char const (&) [3]>::b"),
            ("_ZN1aIDoFvvEE1bEv", "a<void () noexcept>::b"),
            ("_ZN1aIDnLb1ELb0ELi5ELin5ELm7ELc97ELN1c1dE3EE1bEv", "a<decltype(nullptr), true, false, 5, -5, 7ul, (char)97, (c::d)3>::b"),
            ("_ZN1aIXadL_ZN1c1dEiEEE1bEv", "a<&c::d>::b"),
            ("_ZN1aI1bIJPA2_iEEE1cIJS2_S2_EEEvDpRKT_", "a<b<int (*) [2]> >::c<int (*) [2], int (*) [2]>"),
            ("_Z1fIJicEEvPFvDpT_E", "f<int, char>"), ("_ZThn16_N3foo3barEi", "non-virtual thunk to foo::bar(int)"),
            ("_ZTv0_n24_N3foo3barEv", "virtual thunk to foo::bar()"), ("_ZN3fooUt_3barEv", "foo::{unnamed type#1}::bar"),
            ("_ZN3fooUt1_3barEv", "foo::{unnamed type#3}::bar"), ("_ZNKR3foo3barEv", "foo::bar"), ("_ZN3foo3barEi.isra.0", "foo::bar"),
            ("_ZN3foo3barEi.cold", "foo::bar"), ("_ZNO3foo3barIOiEEvv", "foo::bar<int&&>"),
            ("_ZN12_GLOBAL__N_13fooINS_3barEEEvv", "(anonymous namespace)::foo<(anonymous namespace)::bar>"),
            ("_Z1fIPFPFivEvEEvv", "f<int (*(*)())()>"),
            ("_ZN9__gnu_cxx17__normal_iteratorIPKcSsEppEv", "__gnu_cxx::__normal_iterator<char const*, std::basic_string<char, std::char_traits<char>, std::allocator<char> > >::operator++"),
            // Names of Rust. Some are in the tests of rustc-demangle.
            ("_ZN3foo17h05af221e174051e9E", "foo"), ("_ZN12test$BP$test6foobar17h05af221e174051e9E", "test*test::foobar"),
            ("_ZN35Bar$LT$$u5b$u32$u3b$$u20$4$u5d$$GT$17h05af221e174051e9E", "Bar<[u32; 4]>"),
            ("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
            "<Test + 'static as foo::Bar<Test>>::bar"),
            ("_RNvC6_123foo3bar", "123foo::bar"), ("_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"),
            ("_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std",
            "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"),
            ("_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKc76_E", "<const_generic::Char<'v'>>"),
            ("_RINvCskK7mfDs1mzF_1m2cbKb1_Kc78_Kln5_EB2_", "m::cb::<true, 'x', -5>"),
            ("_RINvC1a1bFG_RL0_eERL0_eE", "a::b::<for<'a> fn(&'a str) -> &'a str>"),
            ("_RINvC1a1bFUKChEuE", "a::b::<unsafe extern \"C\" fn(u8)>"),
            ("_RINvC1a1bTbEAhj4_QSmPxOtE", "a::b::<(bool,), [u8; 4], &mut [u32], *const i64, *mut u16>"),
            ("_RINvC1a1bDNtC1a1TEL_E", "a::b::<dyn a::T>"), ("_RNvXsC_NtC1a1bNtB5_1SNtC1c1D3fmt", "<a::b::S as c::D>::fmt"),
            ("_RNvYhNtC1c1D3fmt.llvm.123", "<u8 as c::D>::fmt"),
        })
        {
            SymbolName.Demangle(symbol).Should().Be(name);
        }
    }

    [Fact]
    public void Other_names_and_endless_ones_are_unchanged()
    {
        foreach (string symbol in new[]
        {
            "_Z", "_ZN", "_ZNE", "_Z9foo", "_ZN3foo", "_ZN3foo3bar", "_ZN3foo99999999999999999999barE", "_ZNS_3fooE", "_ZNS5_3fooE",
            "_ZNSv_3fooE", "_Z3fooIT_EvT_", "_Z3fooIXsr1a1bEEvv", "_Z3fooIDTcl1fEEEvv", "_Z3fooILf3f800000EEvv", "_ZN3fooCI13barEi",
            "_ZNSt3C2EvE", "_ZN3foocvT_IiEEv", "_ZN4noneéEv", "_ZTV3foo", "_ZTh", "_R", "_R1NvC1a1b", "_RNvB_1a", "_RMC0RB2_", "_RNvC1a",
            "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y", "_RINvC1a1bKc27_E", "_RINvC1a1bKb2_E", "_RINvC1a1bAh",
            "_RINvC1a1bRL0_hE",
        })
        {
            SymbolName.Demangle(symbol).Should().Be(symbol);
        }

        foreach ((string start, string repeated, string end) in new[]
        {
            ("_Z1fI", "P", "iE"), ("_Z1fI", "J", ""), ("_Z1fI", "FvN", "E"), ("_Z", "Z", "1f"), ("_ZN", "3abc", "E"), ("_ZN1aI", "S_", "E"),
            ("_R", "Nv", ""), ("_R", "MB_", ""), ("_RINvC1a1b", "S", "hE"), ("_RINvC1a1bThhhhhhhhE", "TB8_B8_B8_B8_E", "E"),
        })
        {
            string endless = start + string.Concat(Enumerable.Repeat(repeated, 4000)) + end;
            SymbolName.Demangle(endless).Should().Be(endless);
        }
    }

    [Theory]
    [InlineData(95, "P", "i", true)]
    [InlineData(150, "P", "i", false)]
    [InlineData(1900, "JE", "", true)]
    [InlineData(2100, "JE", "", false)]
    public void The_depth_and_the_number_of_parts_are_limited(int count, string repeated, string end, bool isDemangled)
    {
        string symbol = $"_Z1fI{string.Concat(Enumerable.Repeat(repeated, count))}{end}Evv";
        SymbolName.Demangle(symbol).Should().Match(isDemangled ? "f<*>" : symbol);
    }

    [Fact]
    public void A_short_name_of_a_long_one_takes_little_memory()
    {
        string symbol = $"_Z1fI1000{new string('a', 1000)}{string.Concat(Enumerable.Repeat("S0_", 700))}Evv";
        (SymbolName.Demangle(symbol) == symbol).Should().BeTrue("the name does not fit");
        string inRust = "_ZN4095" + new string('a', 4095) + "3foo17h0123456789abcdefE";
        (SymbolName.Demangle(inRust) == inRust).Should().BeTrue("a name is not cut");
        long before = GC.GetAllocatedBytesForCurrentThread();

        SymbolName.Demangle(symbol);

        (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(500_000, "the name would have 700,000 characters");
    }

    [Fact]
    public void Names_that_grow_exponentially_are_unchanged()
    {
        string pairs = string.Concat(Enumerable.Range(0, 36).Select(i => $"3tupIS{Index(i)}_S{Index(i)}_E"));
        string inCpp = $"_Z1fIPi{pairs}E";
        SymbolName.Demangle(inCpp).Should().Be(inCpp);

        var inRust = new StringBuilder("_RINvC1a1bTaaE");
        for (int i = 0, last = 10; i < 30; i++)
        {
            string reference = $"B{(last - 3 >= 62 ? Digit((last - 3) / 62) : "")}{Digit((last - 3) % 62)}_";
            last = inRust.Length;
            inRust.Append('T').Append(reference).Append(reference).Append('E');
        }

        SymbolName.Demangle(inRust.ToString() + 'E').Should().Be(inRust.ToString() + 'E');
        SymbolName.Demangle(inRust.ToString(0, 14 + (2 * 8)) + 'E').Should().Be("a::b::<(i8, i8), ((i8, i8), (i8, i8)), (((i8, i8), (i8, i8)), ((i8, i8), (i8, i8)))>");

        // Each pair adds two substitutions: the template and the pair.
        static string Index(int pair) => pair == 0 ? "" : (((2 * pair) - 1) is var number && number >= 36 ? "1" : "") + char.ToUpperInvariant(Digit(((2 * pair) - 1) % 36));

        static char Digit(int number) => "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[number];
    }

    [FactNeeding(Need.Readelf)]
    [Trait("Category", "Slow")]
    public void Names_of_the_standard_library_match_cxxfilt()
    {
        // The runtime is written in C++.
        string library = File.ReadLines("/proc/self/maps").Select(line => line.Split(' ')[^1]).First(path => path.Contains("/libstdc++.so", StringComparison.Ordinal));
        string[] symbols = [.. Tool.Run("readelf", "/", new Dictionary<string, string?>(), "--dyn-syms", "-W", library)
            .Split('\n').Where(line => line.Contains(" FUNC ", StringComparison.Ordinal)).Select(line => line.Split(' ')[^1].Split('@')[0])
            .Where(symbol => SymbolName.Demangle(symbol) != symbol).Distinct()];

        // Its output has a line per argument.
        string[] expected = [.. symbols.Chunk(500).SelectMany(some =>
            Tool.Run("c++filt", "/", new Dictionary<string, string?>(), ["-p", .. some]).TrimEnd().Split('\n'))];

        // For an empty pack at the end, c++filt omits the space between brackets.
        symbols.Should().HaveCountGreaterThan(1000);
        symbols.Select(symbol => SymbolName.Demangle(symbol).Replace("> >", ">>", StringComparison.Ordinal))
            .Should().Equal(expected.Select(name => name.Replace("> >", ">>", StringComparison.Ordinal)));
    }
}
