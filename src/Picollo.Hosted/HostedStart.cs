using System.Diagnostics;
using System.Runtime.Loader;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;

[assembly: HostingStartup(typeof(Picollo.Hosted.HostedStart.OldHosts))]

namespace Picollo.Hosted;

/// <summary>Measures an application that does not know Picollo: adds the middleware to each web host that it builds, and serves the page
/// from another host.</summary>
/// <remarks>Called by Picollo.Hook, before the application's Main. Nothing that fails here reaches the application.</remarks>
public static class HostedStart
{
    private const string HostingSource = "Microsoft.Extensions.Hosting";
    private const string HostBuilding = "HostBuilding";
    private const string OldHostsAssembly = "Microsoft.AspNetCore.Hosting";
    private const string OldHostsVariable = "ASPNETCORE_HOSTINGSTARTUPASSEMBLIES";

    // The page starts with the application's web host. A program that has none by then is shown without it. Short programs end earlier.
    private static readonly TimeSpan MaxWaitForHost = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan MaxWaitWithoutWeb = TimeSpan.FromMilliseconds(250);

    private static HostedPage? _page;
    private static Timer? _timer;

    public static void Run()
    {
        _page = new HostedPage(HostedSettings.Take());
        _page.CompleteAtEnd();
        DiagnosticListener.AllListeners.Subscribe(new Observer<DiagnosticListener>(listener =>
        {
            if (listener.Name == HostingSource)
            {
                listener.Subscribe(new Observer<KeyValuePair<string, object?>>(OnHosting));
            }
        }));
        bool isWeb = AssemblyLoadContext.GetLoadContext(typeof(IWebHostBuilder).Assembly) == AssemblyLoadContext.Default;
        AppDomain.CurrentDomain.AssemblyLoad += (_, loaded) =>
        {
            if (loaded.LoadedAssembly.GetName().Name == OldHostsAssembly && !HostedPage.IsBuilding)
            {
                AddOldHosts();
            }
        };
        if (isWeb)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static page => page.Prepare(), _page, preferLocal: false);
        }

        _timer = new Timer(static _ => StartWithoutHost(), null, isWeb ? MaxWaitForHost : MaxWaitWithoutWeb, Timeout.InfiniteTimeSpan);
    }

    private static void StartWithoutHost()
    {
        RemoveOldHosts();
        _page!.Start();
    }

    private static void OnHosting(KeyValuePair<string, object?> written)
    {
        if (written is { Key: HostBuilding, Value: IHostBuilder builder } && !HostedPage.IsBuilding)
        {
            RemoveOldHosts();
            builder.ConfigureServices(_page!.AddTo);
        }
    }

    /// <summary>Makes builders without the event, such as <c>WebHostBuilder</c>, call <see cref="OldHosts"/>. They read the variable after
    /// their assembly is loaded.</summary>
    private static void AddOldHosts()
    {
        string name = typeof(HostedStart).Assembly.GetName().Name!;
        AssemblyLoadContext.Default.Resolving += (_, wanted) => wanted.Name == name ? typeof(HostedStart).Assembly : null;
        string others = Environment.GetEnvironmentVariable(OldHostsVariable) ?? "";
        Environment.SetEnvironmentVariable(OldHostsVariable, others.Length == 0 ? name : $"{others};{name}");
    }

    /// <summary>Programs that the application starts cannot load this assembly.</summary>
    private static void RemoveOldHosts()
    {
        string name = typeof(HostedStart).Assembly.GetName().Name!;
        string others = string.Join(
            ';', (Environment.GetEnvironmentVariable(OldHostsVariable) ?? "").Split(';').Where(other => other != name));
        Environment.SetEnvironmentVariable(OldHostsVariable, others.Length == 0 ? null : others);
    }

    /// <summary>Called by the framework for each web host.</summary>
    public sealed class OldHosts : IHostingStartup
    {
        public void Configure(IWebHostBuilder builder)
        {
            RemoveOldHosts();
            if (!HostedPage.IsBuilding)
            {
                builder.ConfigureServices(_page!.AddTo);
            }
        }
    }

    private sealed class Observer<T>(Action<T> onNext) : IObserver<T>
    {
        public void OnNext(T value) => onNext(value);

        public void OnError(Exception error)
        {
        }

        public void OnCompleted()
        {
        }
    }
}
