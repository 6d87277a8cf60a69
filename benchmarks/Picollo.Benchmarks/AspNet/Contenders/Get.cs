using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.AspNet.Contenders;

/// <summary>A request and all of its answer, read and thrown away, by the one client that all share.</summary>
internal sealed class Get(string name, HttpClient client, ScrapedServer server, string path) : Contender(name, operations: 1)
{
    private readonly Uri _address = new(server.Address, path);
    private readonly byte[] _buffer = new byte[1 << 16];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            using HttpRequestMessage request = new(HttpMethod.Get, _address);
            using HttpResponseMessage response = client.Send(request, HttpCompletionOption.ResponseHeadersRead);
            response.EnsureSuccessStatusCode();
            using Stream stream = response.Content.ReadAsStream();
            long length = 0;
            while (stream.Read(_buffer) is var read and > 0)
            {
                length += read;
            }

            if (length != server.Length)
            {
                throw new InvalidOperationException($"{Name} gave {length} bytes, not {server.Length}.");
            }
        }
    }
}
