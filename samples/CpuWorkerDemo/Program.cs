using System.ComponentModel;
using System.Globalization;
using System.Runtime.InteropServices;
using Picollo.Samples.CpuWorker.Driving;
using Picollo.Samples.CpuWorker.Serving;

namespace Picollo.Samples.CpuWorker;

/// <summary>The command line: nothing, or <c>--serve port</c>.</summary>
internal static class Program
{
    private const int Interrupted = 130;

    public static async Task<int> Main(string[] arguments)
    {
        switch (arguments)
        {
            case []:
                return await DriveAsync();
            case ["--serve", var text, .. var rest]
                when ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort port) && rest is [] or [ServerProcess.EndsWithInput]:
                await ServeCommand.RunAsync(port, rest.Length > 0, Console.In, Console.Out);
                return 0;
            default:
                await Console.Error.WriteLineAsync("usage: CpuWorkerDemo [--serve port]");
                return 2;
        }
    }

    private static async Task<int> DriveAsync()
    {
        using CancellationTokenSource stop = new();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
        try
        {
            await new Demo(Console.Out).RunAsync(stop.Token);
            return 0;
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return Interrupted;
        }
        catch (Exception e) when (e is DriverException or Win32Exception or FormatException)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return 1;
        }

        // The children are ended on the way out.
        void Stop(PosixSignalContext context)
        {
            context.Cancel = true;
            stop.Cancel();
        }
    }
}
