using System.Runtime.InteropServices;

namespace Picollo.Samples.Web;

/// <summary>Without arguments, serves the application until it is interrupted. With <c>--demo [seconds]</c>, sends requests and ends.</summary>
internal static class Program
{
    private const string DefaultAddress = "http://127.0.0.1:5080";
    private const int Interrupted = 130;

    public static async Task<int> Main(string[] arguments)
    {
        switch (arguments)
        {
            case ["--demo", .. var rest] when rest is [] || (rest is [var text] && int.TryParse(text, out int given) && given > 0):
                return await DriveAsync(TimeSpan.FromSeconds(rest is [var seconds] ? int.Parse(seconds, System.Globalization.CultureInfo.InvariantCulture) : 20));
            case [] or [['-', '-', 'u', 'r', 'l', 's', ..], ..]:
                await using (WebApplication application = Api.Create(arguments))
                {
                    if (application.Configuration["urls"] is null)
                    {
                        application.Urls.Add(DefaultAddress);
                    }

                    await application.RunAsync();
                }

                return 0;
            default:
                await Console.Error.WriteLineAsync("usage: WebApi [--urls ADDRESS | --demo [SECONDS]]");
                return 2;
        }
    }

    private static async Task<int> DriveAsync(TimeSpan duration)
    {
        using CancellationTokenSource stop = new();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
        try
        {
            await Demo.RunAsync(duration, Console.Out, stop.Token);
            return 0;
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return Interrupted;
        }

        void Stop(PosixSignalContext context)
        {
            context.Cancel = true;
            stop.Cancel();
        }
    }
}
