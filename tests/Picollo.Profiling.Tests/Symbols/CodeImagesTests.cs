using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Tests.Symbols;

public sealed class CodeImagesTests : IDisposable
{
    private const int Page = 4096;

    private static readonly string Linq = typeof(Enumerable).Assembly.Location;
    private static readonly string Library = Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "libSystem.Native.so");

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-images-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [FactNeeding(Need.Linux)]
    public void An_assembly_in_a_single_file_application_has_the_names_of_the_assembly_file()
    {
        byte[] library = File.ReadAllBytes(Library);
        int start = (library.Length + (2 * Page)) / Page * Page;
        string bundle = Path.Combine(_folder, "app");
        using (FileStream file = File.Create(bundle))
        {
            file.Write(library);
            file.Position = start;
            file.Write(File.ReadAllBytes(Linq));
        }

        (int codeOffset, int codeLength) = CodeOf(Linq);
        CodeImages images = New();
        CpuProfileFrame[] alone = [.. Frames(new CodeMapping(0, int.MaxValue, 0, Linq), codeOffset)];
        CpuProfileFrame[] bundled = [.. Frames(new CodeMapping(0, int.MaxValue, (ulong)start, bundle), codeOffset)];

        alone.Count(frame => frame.Kind == CpuProfileFrameKind.Managed).Should().BeGreaterThan(100);
        bundled.Where(frame => frame.Kind == CpuProfileFrameKind.Managed).Should().OnlyContain(frame => frame.Module == "System.Linq.dll");
        bundled.Where(frame => frame.Kind == CpuProfileFrameKind.Managed && frame.Name.StartsWith("System.Linq.Enumerable.", StringComparison.Ordinal))
            .Select(frame => frame.Name).Should().HaveCountGreaterThan(100).And.BeSubsetOf(alone.Select(frame => frame.Name));

        IEnumerable<CpuProfileFrame> Frames(CodeMapping mapping, int from) =>
            Enumerable.Range(0, codeLength / 256).Select(index => images.FrameAt(mapping, (ulong)(from + (index * 256))));
    }

    [FactNeeding(Need.Linux)]
    public void Code_without_a_name_has_its_module_and_the_start_of_its_function()
    {
        CodeImages images = New();
        CodeMapping mapping = Mapping(Library);

        CpuProfileFrame[] frames = [.. Enumerable.Range(0, (int)mapping.Length).Select(offset => images.FrameAt(mapping, (ulong)offset))];

        frames.Should().Contain(frame => frame.Kind == CpuProfileFrameKind.Native && frame.Name.StartsWith("SystemNative_", StringComparison.Ordinal));
        string[] unnamed = [.. frames.Where(frame => frame.Kind == CpuProfileFrameKind.Unnamed).Select(frame => frame.Name).Distinct()];
        unnamed.Should().OnlyContain(name => name.StartsWith("libSystem.Native.so+0x", StringComparison.Ordinal));
        unnamed.Length.Should().BeLessThan(frames.Length / 30, "not every address is a function");
    }

    [Theory]
    [InlineData("", "[anonymous]+0x10")]
    [InlineData("//anon", "anon+0x10")]
    [InlineData("[uprobes]", "[uprobes]+0x10")]
    [InlineData("/memfd:doublemapper (deleted)", "memfd:doublemapper (deleted)+0x10")]
    [InlineData("/usr/lib/libgone.so (deleted)", "libgone.so (deleted)+0x10")]
    public void Memory_without_a_file_is_named_by_its_mapping(string path, string name)
    {
        CodeImages images = New();

        images.FrameAt(new CodeMapping(0x1000, 0x1000, 0, path), 0x1010).Name.Should().Be(name);
        images.Notes.Should().BeEmpty();
    }

    [FactNeeding(Need.Linux)]
    public void Each_function_of_the_vdso_is_one_frame_with_the_name_of_its_symbol()
    {
        CodeImages images = New();
        CodeMapping vdso = Vdso();

        // The clock functions are __vdso_clock_gettime on x64 and __kernel_clock_gettime on arm64.
        CpuProfileFrame[] frames = [.. Frames(images, vdso).Distinct()];
        frames.Should().OnlyContain(frame => frame.Module == "[vdso]" && frame.Kind == CpuProfileFrameKind.Native);
        frames.Select(frame => frame.Name).Should().OnlyHaveUniqueItems().And.HaveCountLessThan(20)
            .And.Contain("[vdso]", "local functions have no symbols")
            .And.Contain(name => name.StartsWith("__", StringComparison.Ordinal) && name.EndsWith("_clock_gettime", StringComparison.Ordinal))
            .And.NotContain("clock_gettime", "the C library has a function of this name")
            .And.NotContain(name => name.Contains('+', StringComparison.Ordinal));
        Frames(images, vdso with { Start = 0x7f00_0000_0000, FileOffset = 0x7f00_0000_0000 }).Should().Equal(
            Frames(images, vdso), "another process has the same image at another address");
        images.Notes.Should().BeEmpty();
    }

    [FactNeeding(Need.Linux)]
    public void The_vdso_of_a_32_bit_process_is_one_frame() =>
        Frames(New(), Vdso() with { Start = 0xf7f0_0000 }).Distinct().Should().Equal(
            new CpuProfileFrame("[vdso]", "[vdso]", CpuProfileFrameKind.Native));

    [FactNeeding(Need.Linux)]
    public void Thunks_of_an_assembly_are_stubs()
    {
        CodeImages images = New();
        (int start, int length) = ThunksOf(Linq);
        var mapping = new CodeMapping(0, int.MaxValue, 0, Linq);

        Enumerable.Range(start, length).Select(offset => images.FrameAt(mapping, (ulong)offset)).Distinct().Should().Equal(new CpuProfileFrame("[runtime stub]", "", CpuProfileFrameKind.Native));
        images.FrameAt(mapping, (ulong)(start + length)).Should().NotBe(new CpuProfileFrame("[runtime stub]", "", CpuProfileFrameKind.Native));
    }

    [FactNeeding(Need.Linux)]
    public void A_file_that_cannot_be_read_is_noted_once()
    {
        string damaged = Path.Combine(_folder, "Damaged.dll");
        File.WriteAllText(damaged, "no assembly");
        CodeImages images = New();
        var mapping = new CodeMapping(0x1000, 0x1000, 0, damaged);

        images.FrameAt(mapping, 0x1010).Should().Be(new CpuProfileFrame("Damaged.dll+0x10", "Damaged.dll", CpuProfileFrameKind.Unnamed));
        images.FrameAt(mapping, 0x1020).Name.Should().Be("Damaged.dll+0x20");

        images.Notes.Should().ContainSingle().Which.Should().StartWith($"Functions of {damaged} have no names: ");
    }

    [FactNeeding(Need.Linux)]
    public void A_file_that_was_replaced_while_in_use_has_no_names()
    {
        string used = Path.Combine(_folder, "libused.so");
        string other = Path.Combine(_folder, "libother.so");
        File.Copy(Library, used);
        File.Copy(Library, other);
        nint library = NativeLibrary.Load(used);
        try
        {
            File.Move(other, used, overwrite: true);
            CodeImages images = New();
            CodeMapping mapping = Mapping(Library) with { Path = used };

            Enumerable.Range(0, (int)mapping.Length).Select(offset => images.FrameAt(mapping, (ulong)offset).Kind)
                .Should().OnlyContain(kind => kind == CpuProfileFrameKind.Unnamed);
            images.Notes.Should().ContainSingle().Which.Should().EndWith("the file was replaced or removed while the process used it.");
        }
        finally
        {
            NativeLibrary.Free(library);
        }
    }

    [Fact]
    public void A_later_mapping_replaces_an_earlier_one()
    {
        var code = new CodeMap(
            [new(0x1000, 0x1000, 0, "/a/libcoreclr.so"), new(0x1800, 0x100, 0, "/a/libclrjit.so")], perfMap: null, New(), false, null, false);

        code.At(0x17ff).Frame.Name.Should().Be("libcoreclr.so");
        code.At(0x1800).Frame.Name.Should().Be("libclrjit.so");
        code.At(0x1900).Frame.Name.Should().Be("libcoreclr.so");
        code.At(0x2000).Frame.Should().Be(new CpuProfileFrame("[unknown]", "[unknown]", CpuProfileFrameKind.Unnamed), "the address is in data, not in code");
        code.At(ulong.MaxValue - 0x10000).Frame.Name.Should().Be("[unknown]", "the kernel was not sampled");
    }

    [Fact]
    public void The_runtimes_own_library_is_one_function() =>
        New().FrameAt(new CodeMapping(0, 0x1000, 0, "/usr/share/dotnet/libcoreclr.so"), 0x10).Should()
            .Be(new CpuProfileFrame("libcoreclr.so", "libcoreclr.so", CpuProfileFrameKind.Native));

    private static CodeImages New() => new(new ProcessFiles(Environment.ProcessId));

    private static (int Offset, int Length) CodeOf(string path)
    {
        using FileStream file = File.OpenRead(path);
        SectionHeader code = new PEHeaders(file).SectionHeaders.MaxBy(section => section.SizeOfRawData);
        return (code.PointerToRawData, code.SizeOfRawData);
    }

    private static IEnumerable<CpuProfileFrame> Frames(CodeImages images, CodeMapping mapping) =>
        Enumerable.Range(0, (int)mapping.Length).Select(offset => images.FrameAt(mapping, mapping.Start + (ulong)offset));

    private static CodeMapping Vdso() => CodeMapping.Parse(File.ReadLines("/proc/self/maps")).Single(mapping => mapping.Path == "[vdso]");

    /// <summary>Finds the thunks by section 106 of the ReadyToRun header, as an offset in the file and a length.</summary>
    private static (int Offset, int Length) ThunksOf(string path)
    {
        const int thunks = 106;
        using var file = new PEReader(File.OpenRead(path));
        PEMemoryBlock header = file.GetSectionData(file.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.RelativeVirtualAddress);
        System.Reflection.Metadata.BlobReader sections = header.GetReader(0, 16 + (12 * 100));
        sections.Offset = 12;
        for (int left = sections.ReadInt32(); left > 0; left--)
        {
            (int kind, int rva, int length) = (sections.ReadInt32(), sections.ReadInt32(), sections.ReadInt32());
            if (kind == thunks)
            {
                SectionHeader code = file.PEHeaders.SectionHeaders[file.PEHeaders.GetContainingSectionIndex(rva)];
                return (rva - code.VirtualAddress + code.PointerToRawData, length);
            }
        }

        throw new InvalidOperationException("There are no thunks.");
    }

    /// <summary>Maps all code of a library at the address 0.</summary>
    private static CodeMapping Mapping(string path)
    {
        byte[] bytes = File.ReadAllBytes(path);
        int count = BitConverter.ToUInt16(bytes, 56);
        int at = Enumerable.Range(0, count).Select(index => (int)BitConverter.ToUInt64(bytes, 32) + (index * 56))
            .First(at => BitConverter.ToUInt32(bytes, at) == 1 && (BitConverter.ToUInt32(bytes, at + 4) & 1) != 0);
        return new CodeMapping(0, BitConverter.ToUInt64(bytes, at + 32), BitConverter.ToUInt64(bytes, at + 8), path);
    }
}
