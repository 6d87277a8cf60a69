using System.IO.MemoryMappedFiles;
using BenchmarkDotNet.Attributes;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

/// <summary>Page faults that occur in the kernel while it copies to fresh pages.</summary>
public class KernelFaults
{
    public const int Pages = 256;

    [Benchmark]
    public void ReadsIntoPages()
    {
        using FreshPages pages = new(Pages);
        pages.Read("/dev/zero");
    }
}

/// <summary>The same benchmark with kernel code.</summary>
[PerfCounters(PerfSoftwareCounterId.PageFaults, IncludeKernel = true)]
public class KernelFaultsCounted : KernelFaults;

/// <summary>The same benchmark without kernel code.</summary>
[PerfCounters(PerfSoftwareCounterId.PageFaults)]
public class KernelFaultsNotCounted : KernelFaults;

/// <summary>Memory that was not accessed yet.</summary>
internal sealed class FreshPages : IDisposable
{
    private readonly int _bytes;
    private readonly MemoryMappedFile _memory;
    private readonly MemoryMappedViewAccessor _view;

    public FreshPages(int pages)
    {
        _bytes = pages * Environment.SystemPageSize;
        _memory = MemoryMappedFile.CreateNew(null, _bytes);
        _view = _memory.CreateViewAccessor();
    }

    public unsafe void Read(string path)
    {
        using Microsoft.Win32.SafeHandles.SafeFileHandle file = File.OpenHandle(path);
        _ = RandomAccess.Read(file, new Span<byte>((void*)_view.SafeMemoryMappedViewHandle.DangerousGetHandle(), _bytes), 0);
    }

    public void Dispose()
    {
        _view.Dispose();
        _memory.Dispose();
    }
}
