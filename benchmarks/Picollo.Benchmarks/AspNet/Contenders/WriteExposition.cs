using System.Buffers;
using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Benchmarks.AspNet.Contenders;

/// <summary>The writer alone, into memory that is there already.</summary>
internal sealed class WriteExposition(string name, HdrHistogramRegistry registry) : Contender(name, operations: 1)
{
    private readonly PrometheusTextWriter _writer = new();
    private readonly ArrayBufferWriter<byte> _output = new(1 << 22);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _output.ResetWrittenCount();
            _writer.Write(_output, registry);
        }
    }
}
