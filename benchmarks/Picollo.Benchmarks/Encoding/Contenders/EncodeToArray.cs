using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Export;

namespace Picollo.Benchmarks.Encoding.Contenders;

internal sealed class EncodeToArray(EncodingWorkload workload, bool compress)
    : Contender(compress ? "EncodeCompressed" : "Encode to an array", operations: compress ? 1 : 10)
{
    private byte[] _encoded = [];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _encoded = compress ? HdrHistogramEncoding.EncodeCompressed(workload.Histogram) : HdrHistogramEncoding.Encode(workload.Histogram);
        }
    }

    public override void Verify()
    {
        Run(1);
        workload.Verify(Name, HdrHistogramEncoding.Decode(_encoded));
    }
}
