using System.IO.Pipes;
using Picollo.Cli.Hist;

namespace Picollo.Cli.Tests.Hist;

public class ReadAheadTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData(0, 0)]
    [InlineData(5, 0)]
    [InlineData(0, 5)]
    public void All_bytes_are_read_in_order_at_any_speed(int readerPauseMilliseconds, int inputPauseMilliseconds)
    {
        byte[] bytes = new byte[1_000_000];
        new Random(1).NextBytes(bytes);
        using ReadAhead stream = new(() => new Slow(bytes, inputPauseMilliseconds), CancellationToken.None);
        Thread.Sleep(readerPauseMilliseconds * 5); // until both blocks are filled
        stream.Peek().ToArray().Should().Equal(bytes[..stream.Peek().Length]).And.NotBeEmpty();

        using MemoryStream read = new();
        byte[] buffer = new byte[100_000];
        while (stream.Read(buffer) is var length and > 0)
        {
            read.Write(buffer, 0, length);
            Thread.Sleep(readerPauseMilliseconds);
        }

        read.ToArray().AsSpan().SequenceEqual(bytes).Should().BeTrue();
        (stream.BytesRead, stream.Total).Should().Be((1_000_000, 1_000_000));
        stream.Read(buffer).Should().Be(0, "the stream remains at its end");
    }

    [Fact]
    public async Task Waiting_for_an_idle_input_can_be_canceled()
    {
        using AnonymousPipeServerStream silent = new(PipeDirection.In);
        using CancellationTokenSource cancel = new();
        using ReadAhead stream = new(() => silent, cancel.Token);

        Task<int> read = Task.Run(() => stream.Read(new byte[10]));
        await cancel.CancelAsync();

        await FluentActions.Awaiting(() => read.WaitAsync(Soon)).Should().ThrowAsync<OperationCanceledException>();
        silent.DisposeLocalCopyOfClientHandle(); // ends the read of the background thread
    }

    [Fact]
    public void Errors_of_opening_and_reading_are_thrown_by_the_reader()
    {
        using ReadAhead unopened = new(() => throw new FileNotFoundException("gone"), CancellationToken.None);
        using ReadAhead unreadable = new(() => new Broken(), CancellationToken.None);

        FluentActions.Invoking(() => unopened.Peek().Length).Should().Throw<FileNotFoundException>().WithMessage("gone");
        unreadable.Read(new byte[3]).Should().Be(3);
        FluentActions.Invoking(() => unreadable.Read(new byte[3])).Should().Throw<IOException>().WithMessage("broken");
    }

    [Theory]
    [InlineData(0, 1_000_000_000L, "  0 % [                              ] of 954 MiB")]
    [InlineData(500_000_000, 1_000_000_000L, " 50 % [###############               ] of 954 MiB")]
    [InlineData(2_000_000_000, 1_000_000_000L, "100 % [##############################] of 954 MiB")] // the file grew
    [InlineData(12_345_678, null, "11.8 MiB")]
    [InlineData(12_345_678, 0L, "11.8 MiB")] // files in /proc have no length
    public void Progress_shows_the_percentage_or_else_the_number_of_bytes(long taken, long? total, string text) =>
        Progress.TextOf(taken, total).Should().Be(text);

    private sealed class Slow(byte[] bytes, int pauseMilliseconds) : MemoryStream(bytes)
    {
        public override int Read(Span<byte> buffer)
        {
            Thread.Sleep(pauseMilliseconds);
            return base.Read(buffer);
        }
    }

    private sealed class Broken : MemoryStream
    {
        private bool _isRead;

        public override int Read(Span<byte> buffer)
        {
            int length = _isRead ? throw new IOException("broken") : 3;
            _isRead = true;
            return length;
        }
    }
}
