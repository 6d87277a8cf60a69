using System.Buffers.Binary;
using System.Net.Sockets;
using Microsoft.Win32.SafeHandles;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.Files;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Tests.Symbols;

public sealed class HostileFilesTests : IDisposable
{
    private const string Content = "1000 10 method\n";

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-hostile-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_tables_of_all_files_of_a_profile_have_one_limit()
    {
        CodeMapping[] mappings = [.. Enumerable.Range(0, 8).Select(index => new CodeMapping(0, 0x3000, 0, SparseElf($"lib{index}.so", 100 << 20)))];
        var images = new CodeImages(new ProcessFiles(Environment.ProcessId));
        long before = GC.GetAllocatedBytesForCurrentThread();

        foreach (CodeMapping mapping in mappings)
        {
            images.FrameAt(mapping, 0x1000).Kind.Should().Be(CpuProfileFrameKind.Unnamed);
        }

        (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(300L << 20, "the tables have 1.6 GB");
        images.Notes.Should().HaveCount(5).And.OnlyContain(note => note.EndsWith("the symbol tables of the profiled files are too large."));
    }

    [FactNeeding(Need.Linux)]
    public void All_kinds_of_files_count_toward_the_limit_and_a_small_file_is_read_after_one_that_is_too_large()
    {
        var budget = new ReadBudget(1 << 20);
        ElfImage.TryRead(SparseElf("large.so", 1 << 21), out string? reason, null, budget).Should().BeNull();
        reason.Should().Be("the symbol tables of the profiled files are too large");
        ElfImage.TryRead(Write("small.so", ElfFile.Of([new ElfFile.Symbol("main", 0x41000, 1)])), out _, null, budget)!.FunctionCount
            .Should().Be(1);

        ReadyToRunImage.TryRead(typeof(Enumerable).Assembly.Location, out reason, 0, null, new ReadBudget(10_000)).Should().BeNull();
        reason.Should().Be("The tables of the profiled files are too large.");

        using (FileStream map = File.Create(PathOf("perf-1.map")))
        {
            map.SetLength(1L << 30);
        }

        File.WriteAllText(PathOf("perf-2.map"), Content);
        long before = GC.GetAllocatedBytesForCurrentThread();
        PerfMapFile.ReadFrom(_folder, 1, budget)!.IsComplete.Should().BeFalse();
        (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(1 << 20);
        PerfMapFile.ReadFrom(_folder, 2, budget)!.NameAt(0x1000).Should().Be("method");
    }

    [FactNeeding(Need.Linux)]
    public void Only_regular_files_are_opened()
    {
        string file = Write("file", [1]);
        Tool.Run("mkfifo", "/", new Dictionary<string, string?>(), PathOf("pipe"));
        using Socket socket = Listen("socket");
        File.CreateSymbolicLink(PathOf("link"), "file");
        File.CreateSymbolicLink(PathOf("link-to-pipe"), "pipe");

        foreach (string path in (string[])[file, PathOf("link")])
        {
            using SafeFileHandle open = ForeignFile.Open(path);
            RandomAccess.GetLength(open).Should().Be(1);
        }

        foreach (string path in (string[])[PathOf("pipe"), PathOf("link-to-pipe"), PathOf("socket"), _folder, "/dev/zero", "/dev/tty"])
        {
            Opening(path).Should().Throw<IOException>(path).WithMessage("it is not a regular file");
        }

        PerfMapFile.ReadFrom(_folder, 1, new ReadBudget()).Should().BeNull();
    }

    [FactNeeding(Need.Linux)]
    public void Links_do_not_leave_the_root_of_a_process()
    {
        string root = Directory.CreateDirectory(PathOf("root")).FullName;
        string outside = Write("outside", [1]);
        Write("root/inside", [1, 2]);
        Directory.CreateDirectory(PathOf("root/folder"));
        File.CreateSymbolicLink(PathOf("root/absolute"), outside);
        File.CreateSymbolicLink(PathOf("root/relative"), "../outside");
        File.CreateSymbolicLink(PathOf("root/magic"), "/proc/self/cwd");
        File.CreateSymbolicLink(PathOf("root/link"), "/inside");
        File.CreateSymbolicLink(PathOf("root/up"), "/folder/..");

        foreach (string path in (string[])["/absolute", "/relative", "/../outside", "/folder/../../outside", outside, "/magic/.", "/none"])
        {
            Opening(path, root).Should().Throw<IOException>(path);
            ForeignFile.FindWithoutLinks(path, root).IsInvalid.Should().Be(path is not ("/absolute" or "/relative"), "{0}: a final link is found as a link", path);
        }

        foreach (string path in (string[])["/inside", "inside", "/link", "/up/inside", "/folder/../inside", "/../inside"])
        {
            using SafeFileHandle open = ForeignFile.Open(path, root);
            RandomAccess.GetLength(open).Should().Be(2, path);
        }

        StatusWithoutLinks("/inside")!.Value.IsRegular.Should().BeTrue();
        StatusWithoutLinks("/link")!.Value.IsRegular.Should().BeFalse();
        StatusWithoutLinks("/up/inside").Should().BeNull();
        StatusWithoutLinks("/folder/../inside").Should().BeNull();

        Interop.Linux.LibC.FileStatus? StatusWithoutLinks(string path)
        {
            using SafeFileHandle found = ForeignFile.FindWithoutLinks(path, root);
            return ForeignFile.StatusOf(found);
        }
    }

    [FactNeeding(Need.Linux)]
    public void A_perf_map_is_deleted_only_in_the_root_of_the_process()
    {
        string root = Directory.CreateDirectory(PathOf("root")).FullName;
        Directory.CreateDirectory(PathOf("outside"));
        Directory.CreateDirectory(PathOf("root/tmp"));
        string precious = Write("outside/perf-1.map", [1]);
        string map = Write("root/tmp/perf-1.map", [1]);
        Directory.CreateSymbolicLink(PathOf("root/evil"), PathOf("outside"));
        Directory.CreateSymbolicLink(PathOf("root/up"), "../outside");
        uint user = ForeignFile.StatusOf(map, root: null)!.Value.User;
        using SafeFileHandle open = ForeignFile.Open(map);
        using SafeFileHandle openOutside = ForeignFile.Open(precious);

        foreach (string path in (string[])["/evil/perf-1.map", "/up/perf-1.map", "/../outside/perf-1.map", PathOf("outside/perf-1.map")])
        {
            ForeignFile.Delete(path, root, openOutside, user);
            File.Exists(precious).Should().BeTrue(path);
        }

        ForeignFile.Delete(PathOf("root/evil/perf-1.map"), root: null, openOutside, user);
        File.Exists(precious).Should().BeTrue("the folder is a link");
        ForeignFile.Delete("/tmp/perf-1.map", root, openOutside, user);
        ForeignFile.Delete("/tmp/perf-1.map", root, open, user + 1);
        ForeignFile.Delete("/tmp/perf-1.map", root, open, user: null);
        File.Exists(map).Should().BeTrue("it is another file, or belongs to another user");
        ForeignFile.Delete("/tmp/perf-1.map", root, open, user);
        File.Exists(map).Should().BeFalse();
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_runtime_that_does_not_answer_is_reported()
    {
        using Socket socket = Listen("socket");

        new DiagnosticsPort(PathOf("socket"), timeout: TimeSpan.FromSeconds(0.2)).EnablePerfMap()
            .Should().Be("the process did not answer within 0.2 s");
    }

    [FactNeeding(Need.Linux)]
    public void A_runtime_that_does_not_accept_connections_is_reported()
    {
        using Socket socket = Listen("socket");
        List<Socket> waiting = [];
        try
        {
            // Fills the queue of connections that are not yet accepted.
            do
            {
                waiting.Add(new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false });
            }
            while (Record.Exception(() => waiting[^1].Connect(new UnixDomainSocketEndPoint(PathOf("socket")))) is null);

            new DiagnosticsPort(PathOf("socket")).EnablePerfMap().Should().Be("the process does not accept connections to its diagnostics socket");
        }
        finally
        {
            waiting.ForEach(each => each.Dispose());
        }
    }

    [FactNeeding(Need.Linux)]
    public void A_command_is_not_sent_to_the_socket_of_another_user_or_outside_of_the_root()
    {
        using Socket socket = Listen("socket");
        string root = Directory.CreateDirectory(PathOf("root")).FullName;
        File.CreateSymbolicLink(PathOf("root/socket"), PathOf("socket"));
        uint user = ForeignFile.StatusOf(PathOf("socket"), root: null)!.Value.User;

        new DiagnosticsPort(PathOf("socket"), user: user + 1).EnablePerfMap().Should().Be("the diagnostics socket was replaced");
        new DiagnosticsPort("/socket", root).EnablePerfMap().Should().Be("the diagnostics socket was replaced");
        new DiagnosticsPort(Write("file", [])).EnablePerfMap().Should().Be("the diagnostics socket was replaced");

        socket.Blocking = false;
        ((Action)(() => socket.Accept())).Should().Throw<SocketException>("there was no connection")
            .Which.SocketErrorCode.Should().Be(SocketError.WouldBlock);
    }

    private static Action Opening(string path, string? root = null) => () => ForeignFile.Open(path, root).Dispose();

    private Socket Listen(string name)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(new UnixDomainSocketEndPoint(PathOf(name)));
        socket.Listen(1);
        return socket;
    }

    /// <summary>Writes a file with tables of symbols and strings that take no space on the disk.</summary>
    private string SparseElf(string name, int tableBytes)
    {
        byte[] elf = ElfFile.Of([]);
        foreach ((int section, long offset) in (ReadOnlySpan<(int, long)>)[(3, 1 << 20), (4, (1 << 20) + (long)tableBytes)])
        {
            Span<byte> header = elf.AsSpan(elf.Length - ((5 - section) * 64));
            BinaryPrimitives.WriteInt64LittleEndian(header[24..], offset);
            BinaryPrimitives.WriteInt64LittleEndian(header[32..], tableBytes);
        }

        string path = Write(name, elf);
        using FileStream file = File.OpenWrite(path);
        file.SetLength((1 << 20) + (2L * tableBytes));
        return path;
    }

    private string Write(string name, byte[] content)
    {
        File.WriteAllBytes(PathOf(name), content);
        return PathOf(name);
    }

    private string PathOf(string name) => Path.Combine(_folder, name);
}
