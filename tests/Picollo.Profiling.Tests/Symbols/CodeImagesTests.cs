using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.Files;
using Picollo.Profiling.Symbols.ReadyToRun;

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
        string other = typeof(PriorityQueue<,>).Assembly.Location;
        int otherStart = start + (((int)new FileInfo(Linq).Length + (2 * Page)) / Page * Page);
        string bundle = Path.Combine(_folder, "app");
        using (FileStream file = File.Create(bundle))
        {
            file.Write(library);
            file.Position = start;
            file.Write(File.ReadAllBytes(Linq));
            file.Position = otherStart;
            file.Write(File.ReadAllBytes(other));
        }

        (int codeOffset, int codeLength) = CodeOf(Linq);
        CodeImages images = New();
        CpuProfileFrame[] alone = [.. Frames(new CodeMapping(0, int.MaxValue, 0, Linq), codeOffset)];
        CpuProfileFrame[] bundled = [.. Frames(new CodeMapping(0, int.MaxValue, (ulong)start, bundle), codeOffset)];
        CpuProfileFrame[] second = [.. Frames(new CodeMapping(0, int.MaxValue, (ulong)otherStart, bundle), CodeOf(other).Offset)];

        alone.Count(frame => frame.Kind == CpuProfileFrameKind.Managed).Should().BeGreaterThan(100);
        bundled.Where(frame => frame.Kind == CpuProfileFrameKind.Managed).Should().OnlyContain(frame => frame.Module == "System.Linq.dll");
        bundled.Where(frame => frame.Kind == CpuProfileFrameKind.Managed && frame.Name.StartsWith("System.Linq.Enumerable.", StringComparison.Ordinal))
            .Select(frame => frame.Name).Should().HaveCountGreaterThan(100).And.BeSubsetOf(alone.Select(frame => frame.Name));
        second.Where(frame => frame.Kind == CpuProfileFrameKind.Managed).Should().HaveCountGreaterThan(10)
            .And.OnlyContain(frame => frame.Module == Path.GetFileName(other));

        IEnumerable<CpuProfileFrame> Frames(CodeMapping mapping, int from) =>
            Enumerable.Range(0, codeLength / 256).Select(index => images.FrameAt(mapping, (ulong)(from + (index * 256))));
    }

    [FactNeeding(Need.Linux)]
    public void Code_without_a_name_has_its_module_and_the_start_of_its_function()
    {
        CodeImages images = New();
        CodeMapping mapping = Mapped(Path.GetFileName(Library));
        CpuProfileFrame[] frames = [.. Frames(images, mapping with { Length = mapping.Length - Page })]; // the last page is not full of code

        frames.Should().Contain(frame => frame.Kind == CpuProfileFrameKind.Native && frame.Name.StartsWith("SystemNative_", StringComparison.Ordinal));
        string[] unnamed = [.. frames.Where(frame => frame.Kind == CpuProfileFrameKind.Unnamed).Select(frame => frame.Name).Distinct()];
        unnamed.Should().OnlyContain(name => name.StartsWith("libSystem.Native.so+0x", StringComparison.Ordinal));
        unnamed.Length.Should().BeLessThan(frames.Length / 20, "not every address is a function");
    }

    [Fact]
    public void Memory_without_a_file_is_named_by_its_mapping()
    {
        CodeImages images = New();
        foreach ((string path, string name) in new[]
        {
            ("", "[anonymous]"), ("//anon", "anon"), ("[uprobes]", "[uprobes]"), ("/memfd:doublemapper (deleted)",
            "memfd:doublemapper (deleted)"),
            ("/usr/lib/libgone.so (deleted)", "libgone.so (deleted)"),
        })
        {
            images.FrameAt(new CodeMapping(0x1000, 0x1000, 0, path), 0x1010).Name.Should().Be(name + "+0x10");
        }

        images.Notes.Should().BeEmpty();
    }

    [FactNeeding(Need.Linux)]
    public void Each_function_of_the_vdso_is_one_frame_with_the_name_of_its_symbol()
    {
        CodeImages images = New();
        CodeMapping vdso = Mapped("[vdso]");

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
        Frames(New(), vdso with { Start = 0xf7f0_0000 }).Distinct()
            .Should().Equal([new("[vdso]", "[vdso]", CpuProfileFrameKind.Native)], "it is of a 32-bit process");
    }

    [FactNeeding(Need.Linux)]
    public void Thunks_of_an_assembly_are_stubs()
    {
        CodeImages images = New();
        const ReadyToRunSection thunks = (ReadyToRunSection)106;
        var layout = new ReadyToRunLayout(File.ReadAllBytes(Linq));
        (int start, int length) = (layout.Start(thunks), layout.Number(layout.Entry(thunks) + 8));
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
            Frames(images, Mapped(Path.GetFileName(Library)) with { Path = used })
                .Should().OnlyContain(frame => frame.Kind == CpuProfileFrameKind.Unnamed);
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

        code.At(0x17ff).Frame.Should().Be(new CpuProfileFrame("libcoreclr.so", "libcoreclr.so", CpuProfileFrameKind.Native), "the runtime's own library is one function");
        code.At(0x1800).Frame.Name.Should().Be("libclrjit.so");
        code.At(0x1900).Frame.Name.Should().Be("libcoreclr.so");
        code.At(0x2000).Frame.Should().Be(new CpuProfileFrame("[unknown]", "[unknown]", CpuProfileFrameKind.Unnamed), "the address is in data, not in code");
        code.At(ulong.MaxValue - 0x10000).Frame.Name.Should().Be("[unknown]", "the kernel was not sampled");
    }

    private static CodeImages New() => new(new ProcessFiles(Environment.ProcessId));

    private static (int Offset, int Length) CodeOf(string path)
    {
        using FileStream file = File.OpenRead(path);
        SectionHeader code = new PEHeaders(file).SectionHeaders.MaxBy(section => section.SizeOfRawData);
        return (code.PointerToRawData, code.SizeOfRawData);
    }

    private static IEnumerable<CpuProfileFrame> Frames(CodeImages images, CodeMapping mapping) =>
        Enumerable.Range(0, (int)mapping.Length).Select(offset => images.FrameAt(mapping, mapping.Start + (ulong)offset));

    /// <summary>Returns the mapping of the code of a library in this process.</summary>
    private static CodeMapping Mapped(string name) =>
        CodeMapping.Parse(File.ReadLines("/proc/self/maps")).Single(mapping => Path.GetFileName(mapping.Path) == name);
}
