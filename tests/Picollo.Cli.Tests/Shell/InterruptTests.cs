using System.Runtime.InteropServices;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests.Shell;

public class InterruptTests
{
    [Fact]
    public void An_exception_of_a_callback_and_a_signal_after_disposal_are_harmless()
    {
        using Interrupt interrupt = new();
        using CancellationTokenRegistration failing = interrupt.Token.Register(() => throw new IOException("no descriptor"));

        PosixSignalContext context = new(PosixSignal.SIGINT);
        interrupt.Receive(context);

        (context.Cancel, interrupt.Token.IsCancellationRequested, interrupt.Signal).Should().Be((true, true, Signals.Interrupt));
        Interrupt disposed = new();
        disposed.Dispose();
        disposed.Receive(new PosixSignalContext(PosixSignal.SIGTERM));
        disposed.Signal.Should().Be(Signals.Terminate);
    }
}
