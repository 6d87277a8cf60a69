using System.Diagnostics;
using System.Net.Sockets;

namespace Picollo.Peers.Tests.Nginx;

/// <summary>An nginx that forwards all requests to an application, with the defaults of version 1.29.7 and later: HTTP/1.1, connections
/// that are kept, the Host of the application, and no header of a proxy. It listens on a Unix domain socket.</summary>
internal sealed class NginxServer : IAsyncDisposable
{
    private static readonly TimeSpan StartDeadline = TimeSpan.FromSeconds(60);

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-nginx-").FullName;
    private readonly Process _process;

    /// <summary>Starts nginx.</summary>
    /// <param name="application">The address of the application.</param>
    /// <param name="user">The user of the workers.</param>
    public NginxServer(Uri application, string user)
    {
        string config = Path.Combine(_folder, "nginx.conf");
        File.WriteAllText(config, $$"""
            daemon off;
            user {{user}};
            worker_processes 1;
            pid {{_folder}}/nginx.pid;
            error_log stderr;
            events { worker_connections 64; }
            http {
              access_log off;
              client_body_temp_path {{_folder}}/body;
              proxy_temp_path {{_folder}}/proxy;
              fastcgi_temp_path {{_folder}}/fastcgi;
              uwsgi_temp_path {{_folder}}/uwsgi;
              scgi_temp_path {{_folder}}/scgi;
              upstream application { server {{application.Authority}}; keepalive 4; }
              server {
                listen unix:{{SocketPath}};
                location / {
                  proxy_pass http://application;
                  proxy_set_header Host {{application.Authority}};
                  proxy_http_version 1.1;
                  proxy_set_header Connection "";
                }
              }
            }
            """);
        _process = Process.Start(new ProcessStartInfo(Needs.Nginx, ["-c", config, "-e", "stderr"]) { RedirectStandardError = true })!;
        _process.ErrorDataReceived += (_, _) => { };
        _process.BeginErrorReadLine();
    }

    private string SocketPath => Path.Combine(_folder, "socket");

    /// <summary>Creates a client that sends its requests to nginx, once it listens.</summary>
    public async Task<HttpClient> ConnectAsync()
    {
        Stopwatch waited = Stopwatch.StartNew();
        while (!File.Exists(SocketPath))
        {
            if (_process.HasExited || waited.Elapsed > StartDeadline)
            {
                throw new InvalidOperationException($"nginx did not start to listen within {StartDeadline}, or ended.");
            }

            await Task.Delay(50);
        }

        SocketsHttpHandler handler = new()
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            ConnectCallback = async (_, cancellation) =>
            {
                Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(SocketPath), cancellation);
                return new NetworkStream(socket, ownsSocket: true);
            },
        };
        return new HttpClient(handler) { BaseAddress = new Uri("http://shop.example.com") };
    }

    public async ValueTask DisposeAsync()
    {
        _process.Kill(entireProcessTree: true);
        await _process.WaitForExitAsync();
        _process.Dispose();
        Directory.Delete(_folder, recursive: true);
    }
}
