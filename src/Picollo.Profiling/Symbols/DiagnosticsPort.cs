using System.Buffers.Binary;
using System.Diagnostics;
using System.Net.Sockets;
using System.Text;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Profiling.Symbols;

/// <summary>Sends commands to the .NET runtime of a process, on its Unix socket (docs/design/mono/diagnostics-tracing and
/// https://github.com/dotnet/diagnostics/blob/main/documentation/design-docs/ipc-protocol.md).</summary>
internal sealed class DiagnosticsPort
{
    /// <summary>A large application writes its map in half a second, or in a few seconds on a busy machine.</summary>
    private const int TimeoutMilliseconds = 30_000;
    private const int ShortTimeoutMilliseconds = 1000;

    private const byte ProcessCommands = 4;
    private const byte EnablePerfMapCommand = 5;
    private const byte DisablePerfMapCommand = 6;
    private const byte ServerCommands = 0xFF;
    private const byte OkResponse = 0;
    private const uint PerfMapOnly = 3;
    private const int HeaderSize = 20;

    private readonly string _path;

    internal DiagnosticsPort(string path) => _path = path;

    /// <summary>Finds the port of a process; null if it has none that belongs to its user.</summary>
    public static DiagnosticsPort? Find(ProcessFiles process)
    {
        string folder = process.PathOf(process.Variable("TMPDIR") is { Length: > 0 } temporary ? temporary : "/tmp");
        try
        {
            // The name contains the start time of the process, because another process with the same ID may have left a socket.
            return Directory.EnumerateFiles(folder, $"dotnet-diagnostic-{process.OwnId}-{process.StartTicks}-socket")
                .Where(path => LinuxFiles.TryGetOwner(LibC.AT_FDCWD, Encoding.UTF8.GetBytes(path + "\0")) == process.UserId)
                .Select(path => new DiagnosticsPort(path))
                .FirstOrDefault();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Makes the runtime write the map: all methods compiled so far before this method returns, and then each later one.</summary>
    /// <returns>Null, or the reason for a failure.</returns>
    public string? EnablePerfMap()
    {
        byte[] payload = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32LittleEndian(payload, PerfMapOnly);
        return Send(EnablePerfMapCommand, payload, TimeoutMilliseconds);
    }

    /// <summary>Stops writing the map. The runtime handles commands in order: if it has not yet answered the command to enable the map,
    /// this command takes effect after it.</summary>
    public void DisablePerfMap() => _ = Send(DisablePerfMapCommand, [], ShortTimeoutMilliseconds);

    private string? Send(byte command, ReadOnlySpan<byte> payload, int timeoutMilliseconds)
    {
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            socket.SendTimeout = timeoutMilliseconds;
            socket.Connect(new UnixDomainSocketEndPoint(_path));
            socket.Send(Message(command, payload));
            long start = Stopwatch.GetTimestamp();
            byte[] answer = new byte[HeaderSize + sizeof(uint)];
            for (int got = 0, read; got < answer.Length; got += read)
            {
                int left = timeoutMilliseconds - (int)Stopwatch.GetElapsedTime(start).TotalMilliseconds;
                socket.ReceiveTimeout = Math.Max(left, 1);
                read = socket.Receive(answer.AsSpan(got));
                if (read == 0)
                {
                    return "the runtime closed the connection";
                }
            }

            uint result = BinaryPrimitives.ReadUInt32LittleEndian(answer.AsSpan(HeaderSize));
            return answer[16] == ServerCommands && answer[17] == OkResponse
                ? null
                : string.Create(
                    CultureInfo.InvariantCulture, $"the runtime refused the command (0x{result:X8}), which requires .NET 8 or later");
        }
        catch (Exception e) when (e is SocketException or ArgumentException)
        {
            return e.Message;
        }
    }

    // { char magic[14]; u16 size; u8 command set, command; u16 reserved; payload }
    private static byte[] Message(byte command, ReadOnlySpan<byte> payload)
    {
        byte[] message = new byte[HeaderSize + payload.Length];
        "DOTNET_IPC_V1\0"u8.CopyTo(message);
        BinaryPrimitives.WriteUInt16LittleEndian(message.AsSpan(14), (ushort)message.Length);
        (message[16], message[17]) = (ProcessCommands, command);
        payload.CopyTo(message.AsSpan(HeaderSize));
        return message;
    }
}
