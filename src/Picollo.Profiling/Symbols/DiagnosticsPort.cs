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
    private const int MaxPathBytes = 107; // unix(7): 108 with the null character

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
        string path = PathOf(process);
        var port = new DiagnosticsPort(path, process.Root, process.UserId);
        return process.UserId is not null && port.IsSocketOfUser(ForeignFile.StatusOf(path, process.Root)) ? port : null;
    }

    /// <summary>Returns why <see cref="Find"/> does not find the port of a .NET process, and the remedy, without a full stop.</summary>
    /// <param name="process">The process.</param>
    /// <param name="isOff">Whether a setting has disabled the port.</param>
    public static string GetMissingReason(ProcessFiles process, out bool isOff)
    {
        string[] switches = ["EnableDiagnostics", "EnableDiagnostics_IPC"];
        string? off = switches.FirstOrDefault(name => process.RuntimeSetting(name) == "0");
        isOff = off is not null;
        if (!isOff && Encoding.UTF8.GetByteCount(PathOf(process)) > MaxPathBytes)
        {
            return $"the path of the diagnostics socket would be longer than {MaxPathBytes} bytes, which Linux does not permit; "
                + "start the process with a shorter TMPDIR";
        }

        return isOff
            ? $"the process was started with DOTNET_{off}=0; start it without this setting"
            : $"the process has no diagnostics socket (dotnet-diagnostic-{process.OwnId}-…-socket) in its TMPDIR or in /tmp; "
                + "start it without DOTNET_EnableDiagnostics=0, and with a TMPDIR that it can write to";
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

    private static string PathOf(ProcessFiles process)
    {
        string folder = process.Variable("TMPDIR") is { Length: > 0 } temporary ? temporary : "/tmp";

        // The name contains the start time of the process, because another process with the same ID may have left a socket.
        return string.Create(
            CultureInfo.InvariantCulture, $"{folder.TrimEnd('/')}/dotnet-diagnostic-{process.OwnId}-{process.StartTicks}-socket");
    }

    private bool IsSocketOfUser(LibC.FileStatus? status) => status is { IsSocket: true } && (_user is null || status.Value.User == _user);

    private string? Send(byte command, ReadOnlySpan<byte> payload, TimeSpan timeout)
    {
        Open(ProcessCommands, command, payload, timeout, new byte[sizeof(uint)], out string? reason)?.Dispose();
        return reason;
    }

    /// <summary>Sends a command.</summary>
    /// <param name="commandSet">The set of the command.</param>
    /// <param name="command">The command.</param>
    /// <param name="payload">The parameters of the command.</param>
    /// <param name="timeout">The maximum time to wait for the answer.</param>
    /// <param name="result">Receives the result of the command.</param>
    /// <param name="reason">The reason for a failure; null on success.</param>
    /// <returns>The connection, on which the runtime may send a stream; null for a failure.</returns>
    public Socket? Open(
        byte commandSet, byte command, ReadOnlySpan<byte> payload, TimeSpan timeout, Span<byte> result, out string? reason)
    {
        Socket? socket = null;
        try
        {
            // Connects to the file that was checked, even if the path refers to another one in the meantime.
            using SafeFileHandle found = ForeignFile.Find(_path, _root);
            if (!IsSocketOfUser(ForeignFile.StatusOf(found)))
            {
                reason = "the diagnostics socket was replaced";
                return null;
            }

            // A Unix socket connects and sends immediately, or fails because its queue is full.
            socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false };
            socket.Connect(new UnixDomainSocketEndPoint(ForeignFile.PathOf(found)));
            socket.Send(Message(commandSet, command, payload));
            long start = Stopwatch.GetTimestamp();
            Span<byte> header = stackalloc byte[HeaderSize];
            Span<byte> error = stackalloc byte[sizeof(uint)];
            reason = Receive(socket, header, start, timeout);
            bool isOk = header[16] == ServerCommands && header[17] == OkResponse;
            reason ??= Receive(socket, isOk ? result : error, start, timeout);
            reason ??= isOk ? null : string.Create(
                CultureInfo.InvariantCulture,
                $"the runtime refused the command (0x{BinaryPrimitives.ReadUInt32LittleEndian(error):X8}), which requires .NET 8 or later");
        }
        catch (SocketException e)
        {
            reason = e.SocketErrorCode == SocketError.WouldBlock
                ? "the process does not accept connections to its diagnostics socket"
                : e.Message;
        }

        if (reason is not null)
        {
            socket?.Dispose();
            return null;
        }

        return socket;
    }

    private static string? Receive(Socket socket, Span<byte> bytes, long start, TimeSpan timeout)
    {
        for (int got = 0, read; got < bytes.Length; got += read)
        {
            TimeSpan left = timeout - Stopwatch.GetElapsedTime(start);
            if (left < TimeSpan.Zero || !socket.Poll(left, SelectMode.SelectRead))
            {
                return string.Create(CultureInfo.InvariantCulture, $"the process did not answer within {timeout.TotalSeconds:0.#} s");
            }

            read = socket.Receive(bytes[got..]);
            if (read == 0)
            {
                return "the runtime closed the connection";
            }
        }

        return null;
    }

    // { char magic[14]; u16 size; u8 command set, command; u16 reserved; payload }
    private static byte[] Message(byte commandSet, byte command, ReadOnlySpan<byte> payload)
    {
        byte[] message = new byte[HeaderSize + payload.Length];
        "DOTNET_IPC_V1\0"u8.CopyTo(message);
        BinaryPrimitives.WriteUInt16LittleEndian(message.AsSpan(14), (ushort)message.Length);
        (message[16], message[17]) = (commandSet, command);
        payload.CopyTo(message.AsSpan(HeaderSize));
        return message;
    }
}
