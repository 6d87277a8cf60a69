using System.ComponentModel;
using System.Runtime.InteropServices;
using Picollo.Samples.CpuWorker.Driving;
using Picollo.Samples.CpuWorker.Serving;

namespace Picollo.Samples.CpuWorker;

/// <summary>Repeats the measurements in the README of Go's cpuworker, which this sample calls the document. The command line is
/// <see cref="DemoOptions"/>.</summary>
internal static class Program
{
    private const int Interrupted = 130;

    public static async Task<int> Main(string[] arguments)
    {
        if (arguments is ["--help" or "-h"])
        {
            await Console.Out.WriteLineAsync(DemoOptions.Help);
            return 0;
        }

        if (!DemoOptions.TryParse(arguments, out DemoOptions options, out string? reason))
        {
            await Console.Error.WriteLineAsync($"CpuWorkerDemo: {reason}\nTry 'CpuWorkerDemo --help'.");
            return 2;
        }

        if (options.Port is null)
        {
            return await DriveAsync(options);
        }

        await ServeCommand.RunAsync(options, Console.In, Console.Out);
        return 0;
    }

    private static async Task<int> DriveAsync(DemoOptions options)
    {
        using CancellationTokenSource stop = new();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
        try
        {
            await new Demo(Console.Out, options).RunAsync(stop.Token);
            return 0;
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return Interrupted;
        }
        catch (Exception e) when (e is DriverException or Win32Exception or FormatException or MeasurementUnavailableException)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return 1;
        }

        // Cancels the exit, so that the demo ends its child processes first.
        void Stop(PosixSignalContext context)
        {
            context.Cancel = true;
            stop.Cancel();
        }
    }
}
