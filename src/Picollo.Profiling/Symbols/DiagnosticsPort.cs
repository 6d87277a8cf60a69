using System.Buffers.Binary;
using System.Net.Sockets;
using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Symbols;

/// <summary>Sends commands to the .NET runtime of a process, on its Unix socket (docs/design/mono/diagnostics-tracing and
/// https://github.com/dotnet/diagnostics/blob/main/documentation/design-docs/ipc-protocol.md).</summary>
internal sealed class DiagnosticsPort
{
    /// <summary>100,000 methods take 4 s, or longer on a busy machine.</summary>
    private static readonly TimeSpan EnableTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan DisableTimeout = TimeSpan.FromSeconds(1);

    private const byte ProcessCommands = 4;
    private const byte EnablePerfMapCommand = 5;
    private const byte DisablePerfMapCommand = 6;
    private const byte ServerCommands = 0xFF;
    private const byte OkResponse = 0;
    private const uint PerfMapOnly = 3;
    private const int HeaderSize = 20;

    private readonly string _path;
    private readonly string? _root;
    private readonly uint? _user;
    private readonly TimeSpan _timeout;

    /// <summary>The user is the expected owner of the socket; null for any. The timeout is null for the default.</summary>
    internal DiagnosticsPort(string path, string? root = null, uint? user = null, TimeSpan? timeout = null) =>
        (_path, _root, _user, _timeout) = (path, root, user, timeout ?? EnableTimeout);

    /// <summary>Finds the port of a process; null if it has none that belongs to its user.</summary>
    public static DiagnosticsPort? Find(ProcessFiles process)
    {
        string folder = process.Variable("TMPDIR") is { Length: > 0 } temporary ? temporary : "/tmp";

        // The name contains the start time of the process, because another process with the same ID may have left a socket.
        string path = string.Create(
            CultureInfo.InvariantCulture, $"{folder.TrimEnd('/')}/dotnet-diagnostic-{process.OwnId}-{process.StartTicks}-socket");
        var port = new DiagnosticsPort(path, process.Root, process.UserId);
        return process.UserId is not null && port.IsSocketOfUser(ForeignFile.StatusOf(path, process.Root)) ? port : null;
    }

    /// <summary>Makes the runtime write the map: all methods compiled so far before this method returns, and then each later one.</summary>
    /// <returns>Null, or the reason for a failure.</returns>
    public string? EnablePerfMap()
    {
        byte[] payload = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32LittleEndian(payload, PerfMapOnly);
        return Send(EnablePerfMapCommand, payload, _timeout);
    }

    /// <summary>Stops writing the map. The runtime handles commands in order: if it has not yet answered the command to enable the map,
    /// this command takes effect after it.</summary>
    public void DisablePerfMap() => _ = Send(DisablePerfMapCommand, [], DisableTimeout);

    private bool IsSocketOfUser(LibC.FileStatus? status) => status is { IsSocket: true } && (_user is null || status.Value.User == _user);

    private string? Send(byte command, ReadOnlySpan<byte> payload, TimeSpan timeout)
    {
        try
        {
            // Connects to the file that was checked, even if the path refers to another one in the meantime.
            using SafeFileHandle found = ForeignFile.Find(_path, _root);
            if (!IsSocketOfUser(ForeignFile.StatusOf(found)))
            {
                return "the diagnostics socket was replaced";
            }

            // A Unix socket connects and sends immediately, or fails because its queue is full.
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false };
            socket.Connect(new UnixDomainSocketEndPoint(ForeignFile.PathOf(found)));
            socket.Send(Message(command, payload));
            long start = Stopwatch.GetTimestamp();
            byte[] answer = new byte[HeaderSize + sizeof(uint)];
            for (int got = 0, read; got < answer.Length; got += read)
            {
                TimeSpan left = timeout - Stopwatch.GetElapsedTime(start);
                if (left < TimeSpan.Zero || !socket.Poll(left, SelectMode.SelectRead))
                {
                    return string.Create(CultureInfo.InvariantCulture, $"the process did not answer within {timeout.TotalSeconds:0.#} s");
                }

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
        catch (SocketException e) when (e.SocketErrorCode == SocketError.WouldBlock)
        {
            return "the process does not accept connections to its diagnostics socket";
        }
        catch (SocketException e)
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
