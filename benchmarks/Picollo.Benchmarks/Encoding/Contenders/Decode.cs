using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Encoding.Contenders;

internal sealed class Decode(string name, byte[] encoded, EncodingWorkload workload) : Contender(name, operations: 10)
{
    private PlainHdrHistogram<ulong>? _decoded;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _decoded = HdrHistogramEncoding.Decode(encoded);
        }
    }

    public override void Verify()
    {
        Run(1);
        workload.Verify(Name, _decoded!);
    }
}
