using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Tests.Symbols;

public class ReadyToRunImageTests
{
    private static readonly string Linq = typeof(Enumerable).Assembly.Location;

    private readonly Dictionary<string, ReadyToRunImage> _images = [];

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Names_match_the_runtime()
    {
        Type[] types = [typeof(object), typeof(Enumerable), typeof(SortedDictionary<,>), typeof(Regex), typeof(System.Text.Json.JsonSerializer), typeof(HttpClient)];
        IReadOnlyList<(ulong Address, string Name)> methods = ReadyToRunEntryPoints.During(() => ReadyToRunEntryPoints.Prepare(types
            .SelectMany(type => type.Assembly.GetTypes())
            .Where(type => type.Namespace is not ("System.Runtime.Intrinsics" or "System.Numerics"))));
        var mappings = CodeMapping.Parse(File.ReadLines("/proc/self/maps")).ToList();

        methods.Should().HaveCountGreaterThan(10_000);
        methods.Select(method => (method.Name, Found: NameAt(method.Address)))
            .Where(names => !IsNameOrInstance(names.Found, names.Name))
            .Should().BeEmpty();

        string? NameAt(ulong address)
        {
            CodeMapping mapping = mappings.Find(mapping => address - mapping.Start < mapping.Length);
            ReadyToRunImage image = ImageOf(mapping.Path);
            image.TryGetRva((long)(address - mapping.Start + mapping.FileOffset), out uint rva).Should().BeTrue();
            return image.NameOf(rva);
        }
    }

    [Theory]
    [InlineData(typeof(object), "System.String::Concat")]
    [InlineData(typeof(object), "System.Text.StringBuilder+ChunkEnumerator::MoveNext")]
    [InlineData(typeof(object), "System.Collections.Generic.List`1[System.Int32]::.ctor")]
    [InlineData(typeof(object), "System.Collections.Generic.Dictionary`2+Enumerator[System.Char,System.__Canon]::MoveNext")]
    [InlineData(typeof(object), "System.Array::IndexOf[System.Int32]")]
    [InlineData(typeof(Enumerable), "System.Linq.Enumerable::ToDictionary[System.__Canon,System.__Canon,System.Int32]")]
    [InlineData(typeof(HttpClient), @"System.Net.Http.Headers.HttpHeadersNonValidated+<System-Collections-Generic-IReadOnlyDictionary"
        + @"<System-String\,System-Net-Http-Headers-HeaderStringValues>-get_Keys>d__")]
    public void Names_have_the_form_of_perf_maps_with_the_arguments_of_generic_methods(Type ofAssembly, string start)
    {
        ReadyToRunImage image = ImageOf(ofAssembly.Assembly.Location);
        FunctionsOf(ofAssembly.Assembly.Location).Any(function => image.NameOf(function.Start)!.StartsWith(start, StringComparison.Ordinal)).Should().BeTrue();
    }

    [Fact]
    public void Exception_handlers_belong_to_their_method()
    {
        string path = typeof(object).Assembly.Location;
        ReadyToRunImage image = ImageOf(path);
        using FileStream stream = PeFile.Open(path);
        var file = new PeFile(stream);
        const ReadyToRunSection exceptionInfo = (ReadyToRunSection)104;
        uint[] methods = ToNumbers(ReadyToRunHeader.Read(file).Read(exceptionInfo));
        uint[] starts = [.. FunctionsOf(path).Select(function => function.Start)];
        int count = 0;

        // Pairs of the address of a method and of its clauses; the last pair is the end.
        for (int i = 0; i + 3 < methods.Length; i += 2)
        {
            foreach (uint[] clause in ToNumbers(file.Read(methods[i + 1], methods[i + 3] - methods[i + 1])).Chunk(6))
            {
                uint handler = methods[i] + clause[3];
                count += Array.BinarySearch(starts, handler) >= 0 ? 1 : 0;
                image.NameOf(handler).Should().NotBeNull().And.Be(image.NameOf(methods[i]));
            }
        }

        count.Should().BeGreaterThan(1_000, "handlers are separate functions");
    }

    [Fact]
    public void Addresses_outside_methods_have_no_name()
    {
        ReadyToRunImage image = ImageOf(Linq);

        image.ModuleName.Should().Be("System.Linq.dll");
        image.NameOf(0).Should().BeNull();
        image.NameOf(uint.MaxValue).Should().BeNull();
        image.TryGetRva(-1, out _).Should().BeFalse();
        image.TryGetRva(0, out _).Should().BeFalse("the headers are in no section");
        image.TryGetRva(new FileInfo(Linq).Length, out _).Should().BeFalse();
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void All_code_of_the_framework_has_names()
    {
        int count = 0;
        foreach (string path in Directory.GetFiles(Path.GetDirectoryName(Linq)!, "*.dll"))
        {
            if (ReadyToRunImage.TryRead(path, out string? reason) is not { } image)
            {
                reason.Should().Be("The file has no ReadyToRun code.", path);
                continue;
            }

            foreach ((uint start, uint end) in FunctionsOf(path))
            {
                count++;
                if (image.NameOf(start) is null || image.NameOf(end - 1) is null)
                {
                    Assert.Fail($"{path} has no name for {start:x}");
                }
            }
        }

        count.Should().BeGreaterThan(100_000);
    }

    // Events do not contain the arguments of a generic method.
    private static bool IsNameOrInstance(string? found, string name) =>
        found == name || (found is [.., ']'] && found.StartsWith(name + "[", StringComparison.Ordinal));

    /// <summary>Returns the functions of an image. Their ends are unknown except on x64.</summary>
    private static IEnumerable<(uint Start, uint End)> FunctionsOf(string path)
    {
        using FileStream file = PeFile.Open(path);
        uint[] numbers = ToNumbers(ReadyToRunHeader.Read(new PeFile(file)).Read(ReadyToRunSection.RuntimeFunctions));
        return RuntimeInformation.ProcessArchitecture == Architecture.X64
            ? numbers.Chunk(3).Select(function => (function[0], function[1]))
            : numbers.Chunk(2).Select(function => (function[0], function[0] + 1));
    }

    private static uint[] ToNumbers(byte[] bytes) => MemoryMarshal.Cast<byte, uint>(bytes).ToArray();

    private ReadyToRunImage ImageOf(string path)
    {
        if (!_images.TryGetValue(path, out ReadyToRunImage? image))
        {
            image = ReadyToRunImage.TryRead(path, out string? reason);
            reason.Should().BeNull();
            _images.Add(path, image!);
        }

        return image!;
    }
}
