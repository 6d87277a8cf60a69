using System.Buffers;
using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Export;

namespace Picollo.Benchmarks.Encoding.Contenders;

internal sealed class EncodeIntoWriter(EncodingWorkload workload) : Contender("Encode into a writer", operations: 10)
{
    private readonly ArrayBufferWriter<byte> _output = new(1 << 20);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _output.ResetWrittenCount();
            HdrHistogramEncoding.Encode(workload.Histogram, _output);
        }
    }

    public override void Verify()
    {
        Run(1);
        workload.Verify(Name, HdrHistogramEncoding.Decode(_output.WrittenSpan));
    }
}
