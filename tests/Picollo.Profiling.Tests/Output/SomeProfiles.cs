namespace Picollo.Profiling.Tests.Output;

/// <summary>Profiles to draw.</summary>
internal static class SomeProfiles
{
    public const string HostileName = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u2028\u202e]]>&amp;\ud800\0'\"\n";

    public static string LongName { get; } =
        "Company.Product.Caching.Cache<" + string.Join(", ", Enumerable.Range(0, 40).Select(i => $"System.Int{i}")) + ">.GetOrAdd";

    /// <summary>A web application: all kinds of code, long names, and some 2,000 nodes.</summary>
    public static CpuProfile Typical(int leaves = 700)
    {
        CpuProfileFrame[] start =
        [
            Native("start_thread", "libc.so.6"), Native("CorUnix::CPalThread::ThreadEntry", "libcoreclr.so"),
            Managed("System.Threading.Thread.StartCallback", "System.Private.CoreLib.dll"),
            Managed("System.Threading.PortableThreadPool.WorkerThread.WorkerThreadStart", "System.Private.CoreLib.dll"),
            Managed("System.Threading.ThreadPoolWorkQueue.Dispatch", "System.Private.CoreLib.dll"),
        ];
        CpuProfileFrame[] request =
        [
            .. start,
            Managed("Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol.<ProcessRequests>d__238<Microsoft.AspNetCore.Hosting.HostingApplication.Context>.MoveNext", "Microsoft.AspNetCore.Server.Kestrel.Core.dll"),
            Managed("Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke", "Microsoft.AspNetCore.Routing.dll"),
        ];
        CpuProfileFrame[] json =
        [
            .. request, Managed("Shop.Orders.OrderEndpoints.<List>b__0_1", "Shop.dll"),
            Managed("System.Text.Json.JsonSerializer.SerializeAsync", "System.Text.Json.dll"),
            Managed("System.Text.Json.Serialization.Converters.ObjectDefaultConverter<Shop.Orders.Order>.OnTryWrite", "System.Text.Json.dll"),
        ];
        CpuProfileFrame[] parse =
        [
            .. request, Managed("Shop.Orders.OrderEndpoints.<Search>b__0_2", "Shop.dll"),
            Managed("Shop.Search.Query.Parse", "Shop.dll"), Managed("System.Text.RegularExpressions.Regex.RunSingleMatch", "System.Text.RegularExpressions.dll"),
        ];
        CpuProfileFrame[] send =
        [
            .. start, Managed("System.Net.Sockets.SocketAsyncEngine.EventLoop", "System.Net.Sockets.dll"), Native("SystemNative_Send", "libSystem.Native.so"),
            Native("__libc_send", "libc.so.6"), Kernel("do_syscall_64"), Kernel("__sys_sendto"), Kernel("tcp_sendmsg"),
        ];
        CpuProfileFrame[] collect =
            [Native("start_thread", "libc.so.6"), Native("WKS::gc_heap::bgc_thread_function", "libclrgc.so"), Native("WKS::gc_heap::mark_object_simple", "libclrgc.so")];
        Random random = new(7);
        List<(CpuProfileFrame[], long)> stacks =
        [
            (parse, 210), (json, 160), (send, 140), ([.. send, Kernel("tcp_write_xmit"), Kernel("ip_output")], 190), (collect, 230),
            ([.. collect, new CpuProfileFrame("libclrgc.so+0x1f3a0", "libclrgc.so", CpuProfileFrameKind.Unnamed)], 90),
            ([.. start, new CpuProfileFrame("[stack too deep]", "", CpuProfileFrameKind.Group), Managed("Shop.Tree.Walk", "Shop.dll")], 60),
            (start, 25),
        ];
        string[] verbs = ["Read", "Write", "TryGet", "Append", "Format", "Compare", "MoveNext", "Resize"];
        for (int i = 0; i < leaves; i++)
        {
            CpuProfileFrame[] parent = (i % 5) switch { 0 => json, 1 => parse, 2 => request, 3 => [.. json, Own(i % 7)], _ => [.. parse, Own(i % 11), Own(i % 13)] };
            CpuProfileFrame[] tail = [.. Enumerable.Range(0, 1 + random.Next(5)).Select(depth => Own(random.Next(4 + (depth * 6))))];
            stacks.Add(([.. parent, .. tail], 1 + (long)(8 * Math.Pow(random.NextDouble(), 4) * 12)));
        }

        return Of("Shop.Web (process 4711)", stacks, notes: ["2 libraries have no symbols: libclrgc.so, libssl.so.3."]);

        CpuProfileFrame Own(int i) => Managed($"Shop.Orders.{(i % 3 == 0 ? "Store<Shop.Orders.Order, System.String>" : "Buffers")}.{verbs[i % verbs.Length]}{i}", "Shop.dll");
    }

    /// <summary>Names that could break a page, and a long one.</summary>
    public static CpuProfile Hostile() => Of(
        HostileName,
        [([Managed(HostileName, HostileName), Managed(LongName, "Product.dll"), Native(new string('W', 5000), new string('m', 300))], 60), ([Managed("M", "")], 40)],
        [HostileName]);

    /// <summary>A recursion of 1,000 frames.</summary>
    public static CpuProfile Deep() => Of(
        "deep", [([.. Enumerable.Range(0, 1000).Select(i => Managed($"Tree.Visit{i % 3}", "App.dll"))], 99), ([Managed("Tree.Visit0", "App.dll")], 1)]);

    /// <summary>50,000 nodes, most of them small.</summary>
    public static CpuProfile Large()
    {
        List<(CpuProfileFrame[], long)> stacks = [];
        for (int i = 0; i < 50_000; i++)
        {
            stacks.Add(([Managed($"Root{i % 7}", "App.dll"), Managed($"Middle{i % 301}", "App.dll"), Managed($"Leaf{i}", "App.dll")], i % 10 == 0 ? 20 : 1));
        }

        return Of("large", stacks);
    }

    public static CpuProfile Empty() => Of("idle", []);

    public static CpuProfileFrame Managed(string name, string module) => new(name, module, CpuProfileFrameKind.Managed);

    public static CpuProfileFrame Native(string name, string module) => new(name, module, CpuProfileFrameKind.Native);

    public static CpuProfileFrame Kernel(string name) => new(name, "kernel", CpuProfileFrameKind.Kernel);

    public static CpuProfile Of(string title, IEnumerable<(CpuProfileFrame[] Stack, long Count)> stacks, string[]? notes = null)
    {
        CpuProfileNode root = new(new CpuProfileFrame("all", "", CpuProfileFrameKind.Group));
        foreach ((CpuProfileFrame[] stack, long count) in stacks)
        {
            root.Add(stack, count);
        }

        return new CpuProfile(new ProfileData(root)
        {
            Title = title,
            StartTime = new DateTime(2026, 11, 25, 12, 0, 0, DateTimeKind.Utc),
            Duration = TimeSpan.FromSeconds(30),
            Frequency = 99,
            IncludesKernel = true,
            CpuUsage = new Picollo.Cpu.CpuUsage(root.Value * 8_000_000, root.Value * 2_000_000),
            LostSampleCount = root.Value / 40,
            Notes = notes ?? [],
        });
    }
}
