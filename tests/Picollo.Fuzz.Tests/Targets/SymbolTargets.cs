using System.Net.Sockets;
using System.Runtime.InteropServices;
using Picollo.Profiling;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.ReadyToRun;
using Picollo.Profiling.Tests.Symbols;
using static Picollo.Fuzz.Tests.FuzzTargets;

namespace Picollo.Fuzz.Tests;

/// <summary>Sources of symbols: executable files, maps of the runtime and of the kernel, mangled names, and responses of a
/// runtime.</summary>
internal static class SymbolTargets
{
    private const string Kernel =
        """
        0000000000000000 A fixed_percpu_data
        ffffffff81000000 T __text_start
        ffffffff81000000 t local
        ffffffff81000100 W weak_function
        ffffffff81000180 D data
        ffffffffc0000010 t nft_do_chain	[nf_tables]

        """;

    private static readonly string Runtime = RuntimeEnvironment.GetRuntimeDirectory();

    public static FuzzTarget[] All { get; } =
    [
        new(
            "perf-map",
            () =>
            [
                FuzzSeed.Of("0x7f00 10 void [App] App.P::M()[Tier0]\n7f10 20 instance void [App] App.Prog+<Work>d__0::MoveNext()[Tier1-OSR]\n"),
                FuzzSeed.Of("1000 ffffffffffffffff huge\nffffffffffffff00 ffff last\n2000 80 stub ReportStubBlock<Unknown>\n"),
                FuzzSeed.Of("1000 100 class [System.Runtime]System.Threading.Tasks.Task`1<int32> [pm] App.Prog::Work(int32)[Tier1]\n1000 40 new\n1f00 400 int32[] [pm] App.Prog::Get(int32[],class [System.Runtime]System.Object)\n"),
            ],
            ReadPerfMap)
        {
            Count = 2000,
        },
        new(
            "method-names",
            () =>
            [
                FuzzSeed.Of("System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Int32,App.Program+<Work>d__0]::MoveNext"),
                FuzzSeed.Of("App.Program+<>c__DisplayClass0_0::<Main>g__Local|1"), FuzzSeed.Of("A.Dictionary`2[[System.String, x],A.B`1[System.Int32[]&*]]::.ctor"),
                FuzzSeed.Of("_ZN3foo3barEi"), FuzzSeed.Of("_ZNKSt12_GLOBAL__N_13fooC2Ev"), FuzzSeed.Of("_ZL3foov"),
            ],
            ReadName)
        {
            Count = 3000,
        },
        new("kernel-symbols", () => [FuzzSeed.Of(Kernel), .. Files("/proc/kallsyms").Select(seed => seed with { Bytes = seed.Bytes[..Math.Min(seed.Bytes.Length, 5_000)] })], ReadKernel),
        new(
            "ready-to-run",
            () => [.. new[] { "System.Threading.dll", "System.Collections.Specialized.dll", "System.ObjectModel.dll" }.Select(ImageOf)],
            ReadImage)
        {
            ConstantBytes = 3_000_000, // the metadata of other assemblies that names refer to
            BytesPerByte = 60,
            Longest = 1 << 18,
            Count = 300,
        },
        .. OperatingSystem.IsLinux() ? LinuxOnly : [],
    ];

    private static FuzzTarget[] LinuxOnly =>
    [
        new(
            "elf",
            () =>
            [
                .. Files(Path.Combine(Runtime, "libSystem.Native.so"), Path.Combine(Runtime, "libSystem.Net.Security.Native.so"), InRepository("native", "out", "linux-x64", "libpicollo_native.so"))
                    .Select(seed => seed with { Parts = [(0, 64 + (12 * 56)), (0, Math.Min(20_000, seed.Bytes.Length)), (seed.Bytes.Length - Math.Min(2000, seed.Bytes.Length), 2000)] }),
            ],
            ReadElf)
        {
            BytesPerByte = 30,
            Longest = 1 << 18,
            Count = 300,
        },
        new(
            "diagnostics-answer",
            () => [new([.. "DOTNET_IPC_V1\0"u8, 24, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0]), new([.. "DOTNET_IPC_V1\0"u8, 24, 0, 0xFF, 0xFF, 0, 0, 0x84, 0x13, 0x13, 0x80])],
            SimulatedRuntime.Read)
        {
            Longest = 1000,
            Count = 200,
        },
    ];

    private static long ReadPerfMap(byte[] text)
    {
        PerfMap map = PerfMap.Parse(text, isDotnet: true);
        long named = 0;
        foreach (ulong address in new ulong[] { 0, 0x1000, 0x1050, 0x2010, 0x7f00, 0x7f10, ulong.MaxValue })
        {
            if (map.NameAt(address) is { } name)
            {
                Check(name.Length <= MethodNames.MaxLength, "A name is too long.");
                named += 1 + (PerfMapMethod.Parse(name)?.Name.Length ?? 0);
            }
        }

        return named;
    }

    private static long ReadName(byte[] input)
    {
        string raw = Text(input);
        _ = PerfMapMethod.Parse(raw);
        string name = MethodNames.Format(raw);
        Check(name.Length <= Math.Max(MethodNames.MaxLength, raw.Length), "A name is longer than its limit.");
        return name.Length + SymbolName.Demangle(raw).Length;
    }

    private static long ReadKernel(byte[] text)
    {
        KernelSymbols? symbols = KernelSymbols.TryParse(text, out string? reason);
        Check(symbols is null == reason is not null, "There must be either functions or a reason.");
        return symbols is null ? 0 : 1 + (symbols.Find(0xffffffff81000101)?.Name.Length ?? 0) + (symbols.Find(ulong.MaxValue)?.Module.Length ?? 0);
    }

    private static FuzzSeed ImageOf(string name)
    {
        byte[] image = File.ReadAllBytes(Path.Combine(Runtime, name));
        return new(image, new ReadyToRunLayout(image).Tables);
    }

    private static long ReadImage(byte[] input)
    {
        ReadyToRunImage? image = ReadyToRunImage.TryRead(FileOf(input, "Damaged.dll"), out string? reason);
        Check(image is null == !string.IsNullOrEmpty(reason), "There must be either an image or a reason.");
        long named = 0;
        for (long offset = 0; image is not null && offset < input.Length; offset += input.Length / 100)
        {
            named += image.TryGetRva(offset, out uint address) && image.NameOf(address) is not null ? 1 : 0;
        }

        return named;
    }

    private static long ReadElf(byte[] input)
    {
        ElfImage? image = ElfImage.TryRead(FileOf(input, "libdamaged.so"), out string? reason);
        Check(image is null == reason is not null, "There must be either an image or a reason.");
        long named = 0;
        for (long offset = 0; image is not null && offset < input.Length; offset += 1 + (input.Length / 10)) // a name can have 4 KB
        {
            named += image.TryGetAddress(offset, out ulong address) && image.NameOf(address) is not null ? 1 : 0;
            _ = image.StartOf(address);
        }

        return named;
    }

    /// <summary>A simulated runtime that responds to a command with an input and then closes the connection.</summary>
    private static class SimulatedRuntime
    {
        private static readonly string Path = System.IO.Path.Combine(System.IO.Path.GetTempPath(), $"picollo-fuzz-{Environment.ProcessId}-socket");
        private static readonly Lock Gate = new();
        private static Socket? _listener;
        private static byte[] _answer = [];

        public static long Read(byte[] answer)
        {
            lock (Gate)
            {
                _listener ??= Listen();
                Volatile.Write(ref _answer, answer);
                string? problem = new DiagnosticsPort(Path).EnablePerfMap();
                Check(problem is null or { Length: > 0 }, "The problem is empty.");
                return problem is null ? 1 : problem.Length;
            }
        }

        private static Socket Listen()
        {
            Socket listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            AppDomain.CurrentDomain.ProcessExit += (_, _) => File.Delete(Path);
            listener.Bind(new UnixDomainSocketEndPoint(Path));
            listener.Listen();
            new Thread(() =>
            {
                byte[] command = new byte[24];
                while (true)
                {
                    using Socket connection = listener.Accept();
                    for (int got = 0, read = 1; got < command.Length && read > 0; got += read)
                    {
                        read = connection.Receive(command.AsSpan(got));
                    }

                    try
                    {
                        connection.Send(Volatile.Read(ref _answer));
                    }
                    catch (SocketException)
                    {
                        // The reader needs only the first bytes and has closed the connection.
                    }
                }
            })
            {
                IsBackground = true,
            }.Start();
            return listener;
        }
    }
}
