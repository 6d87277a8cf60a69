using System.Globalization;
using Picollo.Profiling.Symbols;
using static Picollo.Profiling.Tests.Symbols.ElfFile;

namespace Picollo.Profiling.Tests.Symbols;

public class ElfImageTests
{
    private static readonly string Runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;

    [Fact]
    public void A_function_has_the_extent_of_its_size()
    {
        ElfImage image = Read(new Symbol("first", 0x41010, 0x10), new Symbol("second", 0x41020, 1));

        image.FunctionCount.Should().Be(2);
        Names(image, 0x4100F, 0x41010, 0x4101F, 0x41020, 0x41021).Should().Equal(null, "first", "first", "second", null);
    }

    [Theory]
    [InlineData(0x100)] // its end is 2^64, which is 0 in 64 bits
    [InlineData(0x200)]
    [InlineData(ulong.MaxValue)]
    public void A_function_may_extend_to_the_end_of_the_address_space(ulong size)
    {
        const ulong Start = ulong.MaxValue - 0xFF;
        ElfImage image = Read(new Symbol("first", 0x41000, 0x10), new Symbol("last", Start, size));

        Names(image, 0x41000, 0x41010, Start - 1, Start, ulong.MaxValue - 1).Should().Equal("first", null, null, "last", "last");
    }

    [Fact]
    public void The_innermost_function_is_found()
    {
        ElfImage image = Read(
            new Symbol("outer", 0x41000, 0x100), new Symbol("inner", 0x41010, 0x20), new Symbol("core", 0x41018, 8), new Symbol("crossing", 0x410F0, 0x20));

        Names(image, 0x41000, 0x41010, 0x41018, 0x41020, 0x41030, 0x410F0, 0x41105, 0x41110)
            .Should().Equal("outer", "inner", "core", "inner", "outer", "crossing", "crossing", null);
    }

    [Fact]
    public void Functions_without_a_size_extend_to_the_next_one_or_the_end_of_their_section()
    {
        ElfImage image = Read(new Symbol("open", 0x41000, 0), new Symbol("alias", 0x41000, 0), new Symbol("next", 0x41100, 0), new Symbol("rest", 0x42800, 0, Rest));

        Names(image, 0x410FF, 0x41100, 0x41FFF, 0x42000, 0x42FFF, 0x43000).Should().Equal("open", "next", "next", null, "rest", null);
    }

    [Fact]
    public void The_most_public_of_several_names_is_used()
    {
        NameOf(new("_IO_read", 0x41000, 1), new("read", 0x41000, 1, Binding: 2), new("__read", 0x41000, 1)).Should().Be("read");
        NameOf(new("local", 0x41000, 1, Binding: 0), new("__global", 0x41000, 1)).Should().Be("__global");
        NameOf(new("weak", 0x41000, 1, Binding: 2), new("global", 0x41000, 1)).Should().Be("global");
        NameOf(new("a", 0x41000, 0), new("__b", 0x41000, 8)).Should().Be("a", "the size belongs to the other name");
        Read(new Symbol("a", 0x41000, 8), new Symbol("__b", 0x41000, 16)).NameOf(0x4100F).Should().Be("a", "the larger size is used");

        static string? NameOf(params Symbol[] symbols) => Read(symbols).NameOf(0x41000);
    }

    [Fact]
    public void Only_functions_of_the_file_have_names()
    {
        ElfImage image = Read(
            new Symbol("data", 0x41000, 8, Type: 1),
            new Symbol("imported", 0x41010, 8, Section: 0),
            new Symbol("absolute", 0x41020, 8, Section: 0xFFF1),
            new Symbol("", 0x41030, 8),
            new Symbol("indirect@@GLIBC_2.14", 0x41040, 8, Type: 10));

        Names(image, 0x41000, 0x41010, 0x41020, 0x41030, 0x41040).Should().Equal(null, null, null, null, "indirect");
    }

    [Fact]
    public void Dynamic_symbols_are_used_if_there_are_no_others()
    {
        Read(Of([new Symbol("all", 0x41000, 1)], dynamic: [new Symbol("exported", 0x41000, 1)])).NameOf(0x41000).Should().Be("all");
        Read(Of([new Symbol("_ZN3foo3barEv", 0x41000, 1)], tableType: 11)).NameOf(0x41000).Should().Be("foo::bar");
    }

    [Theory]
    [InlineData(0xFFF, null)]
    [InlineData(0x1000, 0x41000UL)]
    [InlineData(0x2FFF, 0x42FFFUL)]
    [InlineData(0x3000, null)]
    [InlineData(-1, null)]
    [InlineData(long.MinValue, null)]
    public void An_offset_is_mapped_by_the_code_segment(long offset, ulong? address)
    {
        bool isThere = Read().TryGetAddress(offset, out ulong actual);

        (isThere ? actual : (ulong?)null).Should().Be(address);
    }

    [Fact]
    public void Other_files_are_rejected_with_the_reason()
    {
        ReasonOf([]).Should().Be("it is not an ELF file");
        ReasonOf(new byte[100]).Should().Be("it is not an ELF file");
        ReasonOf(Changed(4, 1)).Should().Be("it is not a 64-bit little-endian ELF file");
        ReasonOf(Changed(5, 2)).Should().Be("it is not a 64-bit little-endian ELF file");
        ReasonOf(Changed(18, 40)).Should().Be("it is not for x64 or arm64");
        ReasonOf(Of([])[..^1]).Should().Be("it is damaged: a table is outside the file");
        ReasonOf(Changed(40, 0xC0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)).Should().Be("it is damaged: a table is outside the file", "its end is above 2^64");
        foreach (string path in (string[])["/dev/zero", "/", "/no/such/file", ""])
        {
            ElfImage.TryRead(path, out string? reason).Should().BeNull();
            reason.Should().NotBeNull();
        }

        static byte[] Changed(int at, params byte[] bytes)
        {
            byte[] file = Of([]);
            bytes.CopyTo(file, at);
            return file;
        }
    }

    public static TheoryData<string> Libraries =>
    [
        .. new[]
        {
            "/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libstdc++.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libstdc++.so.6",
            "/usr/aarch64-linux-gnu/lib/libc.so.6", $"{Runtime}/libcoreclr.so", $"{Runtime}/libclrjit.so", $"{Runtime}/libSystem.Native.so",
        }.Where(File.Exists).DefaultIfEmpty(typeof(object).Assembly.Location),
    ];

    [TheoryNeeding(Need.Readelf)]
    [MemberData(nameof(Libraries))]
    [Trait("Category", "Slow")]
    public void Functions_and_addresses_match_readelf(string library)
    {
        ElfImage image = ElfImage.TryRead(library, out _)!;
        List<(ulong Start, ulong Size, string Name)> functions = [.. Readelf("-sW", library)
            .Where(row => row.Length >= 8 && row[3] is "FUNC" or "IFUNC" && ulong.TryParse(row[6], CultureInfo.InvariantCulture, out _))
            .Select(row => (Hex(row[1]), Size(row[2]), SymbolName.Demangle(row[7].Split('@')[0])))];

        functions.Should().NotBeEmpty();
        image.FunctionCount.Should().Be(functions.DistinctBy(function => function.Start).Count());
        ILookup<ulong, string> at = functions.ToLookup(function => function.Start, function => function.Name);
        foreach ((ulong start, ulong size, _) in functions)
        {
            at[start].Should().Contain(image.NameOf(start)!);
            if (size > 0)
            {
                ulong last = start + size - 1;
                ulong innermost = functions.Where(function => function.Start <= last && last - function.Start < function.Size).Max(function => function.Start);
                at[innermost].Should().Contain(image.NameOf(last)!);
            }
        }

        string[] code = Readelf("-lW", library).Single(row => row.Length >= 8 && row[0] == "LOAD" && row[6] == "RE");
        (ulong offset, ulong address, ulong length) = (Hex(code[1]), Hex(code[2]), Hex(code[4]));
        image.TryGetAddress((long)offset, out ulong first).Should().BeTrue();
        image.TryGetAddress((long)(offset + length) - 1, out ulong final).Should().BeTrue();
        (first, final).Should().Be((address, address + length - 1));
    }

    [Fact]
    public void Overlapping_names_do_not_cost_more_memory_or_time()
    {
        // Every symbol has all strings as its name and contains all following symbols, and the last string has no final zero.
        byte[] file = Of(Enumerable.Range(0, 5_000).Select(i => new Symbol("_", 0x41000 + (ulong)i, 0x100000 - (2 * (ulong)i))));
        int strings = 64 + 112 + (24 * 5_001) + 1;
        file.AsSpan(strings, 10_000).Fill((byte)'_');

        WithFile(file, path =>
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            ElfImage? image = ElfImage.TryRead(path, out _);
            Names(image!, [.. Enumerable.Range(0, 100).Select(i => 0x41000 + (60 * (ulong)i))]);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }).Should().BeLessThan((16 * file.Length) + 100_000);
    }

    private static ElfImage Read(params Symbol[] symbols) => Read(Of(symbols));

    private static ElfImage Read(byte[] file) =>
        WithFile(file, path => (ElfImage.TryRead(path, out string? reason), reason)) is var (image, why) && why is null ? image! : throw new InvalidDataException(why);

    private static string? ReasonOf(byte[] file) => WithFile(file, path => (ElfImage.TryRead(path, out string? reason), reason)).reason;

    private static T WithFile<T>(byte[] content, Func<string, T> use)
    {
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(path, content);
            return use(path);
        }
        finally
        {
            File.Delete(path);
        }
    }

    private static string?[] Names(ElfImage image, params ulong[] addresses) => [.. addresses.Select(image.NameOf)];

    private static IEnumerable<string[]> Readelf(string option, string library) => Tool.Run("readelf", "/", new Dictionary<string, string?>(), option, library)
        .Split('\n').Select(line => line.Replace("R E", "RE", StringComparison.Ordinal).Split(' ', StringSplitOptions.RemoveEmptyEntries));

    private static ulong Hex(string text) =>
        ulong.Parse(text.StartsWith("0x", StringComparison.Ordinal) ? text[2..] : text, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    private static ulong Size(string text) =>
        text.StartsWith("0x", StringComparison.Ordinal) ? Hex(text) : ulong.Parse(text, CultureInfo.InvariantCulture);
}
