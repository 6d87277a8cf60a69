using System.Net.Sockets;
using Picollo.Profiling.Events;
using Picollo.Profiling.Symbols;

namespace Picollo.Profiling.Tests.Events;

public sealed class EventSessionTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-session-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [FactNeeding(Need.Linux)]
    public async Task A_session_ends_and_its_connection_is_closed_when_the_runtime_cannot_be_asked_to_stop_it()
    {
        string path = Path.Combine(_folder, "socket");
        using Socket runtime = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        runtime.Bind(new UnixDomainSocketEndPoint(path));
        runtime.Listen();
        Task<Socket> answering = Task.Run(() =>
        {
            Socket connection = runtime.Accept();
            byte[] header = new byte[20];
            header[16] = 0xFF; // success
            connection.SendBufferSize = 1; // the least of the system, for a few messages: the answer arrives in pieces
            Array.ForEach([.. header, .. new byte[sizeof(ulong)]], next => connection.Send([next]));

            return connection;
        });
        EventSession session = EventSession.TryStart(new DiagnosticsPort(path), 1, hasStacks: false, [], out _)!;
        using Socket stream = await answering;
        TaskCompletionSource idle = new();
        Task<int> reading = Task.Run(() => session.Read(new byte[1], () => idle.TrySetResult()));
        await idle.Task.WaitAsync(TimeSpan.FromSeconds(20));
        stream.Send([1]);
        (await reading).Should().Be(1);
        File.Delete(path); // as a cleaner of old files in /tmp does

        session.Stop();

        reading = Task.Run(() => session.Read(new byte[1]));
        (await Task.WhenAny(reading, Task.Delay(TimeSpan.FromSeconds(20)))).Should().Be(reading);
        (await reading).Should().Be(0);
        session.Dispose();
        while (stream.Receive(new byte[1000]) > 0)
        {
        }
    }
}
