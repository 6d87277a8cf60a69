using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Interop.Linux;
using Picollo.PerfEvent;

namespace Picollo.Benchmarks.Perf.Contenders;

/// <summary>read(2) of the same group, and nothing else.</summary>
internal sealed unsafe class BareGroupRead : Contender
{
    private readonly List<PerfEventFile> _files = [];
    private long _read;

    public BareGroupRead()
        : base($"bare read(2) of a group of {GroupOfSix.Ids.Length}", PerfOperations.Calls)
    {
        foreach (PerfSoftwareCounterId id in GroupOfSix.Ids)
        {
            PerfEventAttributes attributes = new()
            {
                Type = PerfEventType.Software,
                Size = PerfEventAttributes.Version1Size,
                Config = (ulong)id,
                ReadFormat = PerfReadFormat.Group | PerfReadFormat.TotalTimeEnabled | PerfReadFormat.TotalTimeRunning,
            };
            PerfEventFile file = PerfEventFile.TryOpen(attributes, thread: 0, cpu: -1, _files.FirstOrDefault(), out int error)
                ?? throw new InvalidOperationException($"perf_event_open of {id}: error {error}.");
            file.Map();
            _files.Add(file);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    [SkipLocalsInit]
    public override void Run(int operations)
    {
        nuint length = (nuint)(3 + _files.Count) * sizeof(ulong);
        ulong* buffer = stackalloc ulong[3 + GroupOfSix.Ids.Length];
        int file = _files[0].Number;
        for (int i = 0; i < operations; i++)
        {
            _read = LibC.read_counter(file, buffer, length);
        }
    }

    public override void Verify()
    {
        Run(1);
        if (_read != (3 + GroupOfSix.Ids.Length) * sizeof(ulong))
        {
            throw new InvalidOperationException($"read(2) gave {_read} bytes.");
        }
    }
}
