using System.Runtime.InteropServices;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests.Shell;

public class InterruptTests
{
    [Fact]
    public void A_signal_during_disposal_is_harmless()
    {
        Interrupt interrupt = new();
        interrupt.Dispose();

        interrupt.Receive(new PosixSignalContext(PosixSignal.SIGTERM));

        interrupt.Signal.Should().Be(Signals.Terminate);
    }

    [Fact]
    public void An_exception_of_a_callback_does_not_reach_the_signal_thread()
    {
        using Interrupt interrupt = new();
        using CancellationTokenRegistration failing = interrupt.Token.Register(() => throw new IOException("no descriptor"));

        PosixSignalContext context = new(PosixSignal.SIGINT);
        interrupt.Receive(context);

        context.Cancel.Should().BeTrue();
        interrupt.Token.IsCancellationRequested.Should().BeTrue();
        interrupt.Signal.Should().Be(Signals.Interrupt);
    }
}
