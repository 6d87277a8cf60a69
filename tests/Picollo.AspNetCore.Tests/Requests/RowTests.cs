using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.StaticAssets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;
using Picollo.Interop.Linux;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the rows for which requests are counted. The names of rows come from the application's code, never from a request.</summary>
public sealed class RowTests : IDisposable
{
    private readonly string _files = Directory.CreateTempSubdirectory("picollo-files-").FullName;

    public RowTests()
    {
        foreach (string name in new[] { "index.html", "site.css", "app.js" })
        {
            File.WriteAllText(Path.Combine(_files, name), name);
        }
    }

    public void Dispose() => Directory.Delete(_files, recursive: true);

    [Fact]
    public async Task Static_files_share_a_row()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UseStaticFiles();
                web.MapFallbackToFile("index.html");
            },
            build: builder => builder.Environment.WebRootFileProvider = new PhysicalFileProvider(_files));
        foreach (string path in new[] { "/site.css", "/app.js", "/some/page" })
        {
            (await app.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.OK, path);
        }

        (await app.GetCountsAsync(3)).Should().Equal(("GET", "(static files)", 3));
    }

    [Fact]
    public async Task Endpoints_of_static_assets_share_a_row()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            for (int i = 0; i < 300; i++)
            {
                web.MapGet($"/lib/{i}.{Guid.NewGuid():N}.js", () => "asset").WithMetadata(new StaticAssetDescriptor { Route = "", AssetPath = "" });
            }
        });
        IReadOnlyList<string> assets = [.. app.Services.GetRequiredService<Microsoft.AspNetCore.Routing.EndpointDataSource>().Endpoints
            .OfType<Microsoft.AspNetCore.Routing.RouteEndpoint>().Select(endpoint => endpoint.RoutePattern.RawText!)];
        foreach (string asset in assets)
        {
            (await app.Client.GetStringAsync(asset)).Should().Be("asset");
        }

        (await app.GetCountsAsync(300)).Should().Equal(("GET", "(static files)", 300));
    }

    [Fact]
    public async Task A_static_file_that_is_an_error_page_is_counted_for_the_failed_route()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UseStatusCodePagesWithReExecute("/index.html");
                web.UseStaticFiles();
                web.UseRouting();
                web.MapGet("/none", () => Results.NotFound());
            },
            build: builder => builder.Environment.WebRootFileProvider = new PhysicalFileProvider(_files));
        (await (await app.Client.GetAsync("/none")).Content.ReadAsStringAsync()).Should().Be("index.html");

        (await app.GetCountsAsync(1)).Should().Equal(("GET", "/none", 1));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Routes_in_a_branch_have_the_literal_prefix_of_the_branch(bool all)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UsePicollo();
                web.Map("/first", branch => branch.UseRouting().UseEndpoints(routes =>
                {
                    routes.MapGet("/items/{id}", (string id) => id);
                    routes.MapGet("/", () => "root");
                }));
                web.Map("/second", branch => branch.Map("/inner", inner => inner.UseRouting().UseEndpoints(
                    routes => routes.MapGet("/items/{id}", (string id) => id))));
                web.UseWhen(context => context.Request.Query.ContainsKey("when"), branch => branch.Map("/third", inner => inner
                    .Map("/deep", deep => deep.Run(context => context.Response.WriteAsync("deep")))
                    .Run(context => context.Response.WriteAsync("third"))));
                web.MapWhen(context => context.Request.Query.ContainsKey("that"), branch => branch.Map("/fourth", inner => inner.Run(
                    context => context.Response.WriteAsync("fourth"))));
                web.Map("/fifth/deep", branch => branch.Run(context => context.Response.WriteAsync("deep")));
                web.Map("/fifth", branch => branch.Run(context => context.Response.WriteAsync("fifth")));
            },
            measureAll: all);
        string[] paths =
        [
            "/first/items/1", "/FIRST/items/2", "/first", "/second/inner/items/3", "/third/x?when", "/third/deep?when", "/fourth?that",
            "/fifth/deep/x", "/fifth/x",
        ];
        foreach (string path in paths)
        {
            (await app.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.OK, path);
        }

        (await app.GetCountsAsync(paths.Length)).Should().Equal(
            ("GET", "/fifth (no endpoint)", 1), ("GET", "/fifth/deep (no endpoint)", 1), ("GET", "/first", 1),
            ("GET", "/first/items/{id}", 2), ("GET", "/fourth (no endpoint)", 1), ("GET", "/second/inner/items/{id}", 1),
            ("GET", "/third (no endpoint)", 1), ("GET", "/third/deep (no endpoint)", 1));
    }

    [Fact]
    public async Task A_base_path_from_request_data_does_not_create_a_row()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.Use((context, next) =>
            {
                string[] parts = context.Request.Path.Value!.Split('/', 3);
                (context.Request.PathBase, context.Request.Path) = ("/" + parts[1], "/" + parts[2]);
                return next(context);
            });
            web.UseRouting();
            web.MapGet("/items/{id}", (string id) => id);
        });
        for (int tenant = 0; tenant < 20; tenant++)
        {
            (await app.Client.GetStringAsync($"/tenant{tenant}/items/1")).Should().Be("1");
        }

        (await app.GetCountsAsync(20)).Should().Equal(("GET", "/items/{id}", 20));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Routes_have_the_prefixes_of_branches_but_not_the_paths_of_UsePathBase(bool isOutside)
    {
        static void MapItem(IApplicationBuilder branch) =>
            branch.UseRouting().UseEndpoints(routes => routes.MapGet("/x/{id}", (string id) => id));

        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                if (isOutside)
                {
                    web.UsePathBase("/base");
                }

                web.UsePicollo();
                if (!isOutside)
                {
                    web.UsePathBase("/base");
                }

                web.Map("/sub", MapItem);
                web.Map("/outer", outer => outer.Map("/inner", MapItem));
                web.Map("/late", branch => MapItem(branch.UsePathBase("/more")));
                web.MapWhen(context => context.Request.Query.ContainsKey("when"), branch => branch.Map("/when", MapItem));
                web.UseWhen(context => context.Request.Query.ContainsKey("run"), branch => branch.Map("/run", inner => inner.Run(
                    context => context.Response.WriteAsync("run"))));
                web.UseRouting();
                web.MapGet("/plain/{id}", (string id) => id);
            },
            measureAll: false);
        string[] paths =
        [
            "/sub/x/1", "/base/sub/x/1", "/BASE/Sub/x/1", "/outer/inner/x/1", "/base/outer/inner/x/1", "/late/x/1", "/late/more/x/1",
            "/base/late/MORE/x/1", "/when/x/1?when", "/base/when/x/1?when", "/run/x?run", "/base/run/x?run", "/plain/1", "/base/plain/1",
        ];
        foreach (string path in paths)
        {
            (await app.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.OK, path);
        }

        (await app.GetCountsAsync(paths.Length)).Should().Equal(
            ("GET", "/late/x/{id}", 3),
            ("GET", "/outer/inner/x/{id}", 2),
            ("GET", "/plain/{id}", 2),
            ("GET", "/run (no endpoint)", 2),
            ("GET", "/sub/x/{id}", 3),
            ("GET", "/when/x/{id}", 2));
    }

    [Fact]
    public async Task A_path_of_UsePathBase_that_equals_the_prefix_of_a_branch_is_not_part_of_a_row()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.UsePathBase("/api");
            web.Map("/api", branch => branch.UseRouting().UseEndpoints(routes => routes.MapGet("/x/{id}", (string id) => id)));
            web.UseRouting();
            web.MapGet("/x/{id}", (string id) => id);
        });
        foreach (string path in new[] { "/x/1", "/api/x/1", "/api/x/2", "/api/api/x/1" })
        {
            (await app.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.OK, path);
        }

        (await app.GetCountsAsync(4)).Should().Equal(("GET", "/api/x/{id}", 1), ("GET", "/x/{id}", 3));
    }

    [Fact]
    public async Task Many_calls_of_UsePathBase_do_not_remove_the_prefix_of_a_branch()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            for (int i = 0; i < 40; i++)
            {
                web.UsePathBase($"/base{i}");
            }

            web.Map("/sub", branch => branch.UseRouting().UseEndpoints(routes => routes.MapGet("/x/{id}", (string id) => id)));
        });
        foreach (string path in new[] { "/sub/x/1", "/base0/sub/x/1", "/base7/sub/x/1", "/base7/base39/sub/x/1" })
        {
            (await app.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.OK, path);
        }

        (await app.GetCountsAsync(4)).Should().Equal(("GET", "/sub/x/{id}", 4));
    }

    [Fact]
    public async Task Routes_of_a_branch_have_its_prefix_after_a_base_path_from_request_data()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.Use((context, next) =>
            {
                string[] parts = context.Request.Path.Value!.Split('/', 3);
                (context.Request.PathBase, context.Request.Path) = ("/" + parts[1], "/" + parts[2]);
                return next(context);
            });
            web.Map("/sub", branch => branch.UseRouting().UseEndpoints(routes => routes.MapGet("/x/{id}", (string id) => id)));
        });
        for (int tenant = 0; tenant < 20; tenant++)
        {
            (await app.Client.GetStringAsync($"/tenant{tenant}/sub/x/1")).Should().Be("1");
        }

        (await app.GetCountsAsync(20)).Should().Equal(("GET", "/sub/x/{id}", 20));
    }

    [Fact]
    public async Task Methods_that_an_endpoint_does_not_declare_share_a_row_except_for_GET_and_POST()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.UseRouting();
            web.Map("/any", () => "any");
            web.MapMethods("/declared", ["PUT", "PATCH", "PROPFIND"], () => "declared");
            web.Use((context, next) => context.Request.Path == "/early" ? context.Response.WriteAsync("early") : next(context));
        });
        foreach (string path in new[] { "/any", "/early", "/missing" })
        {
            foreach (string method in AllMethods)
            {
                await SendAsync(app, method, path);
            }
        }

        await SendAsync(app, "PUT", "/declared");
        await SendAsync(app, "PATCH", "/declared");
        await SendAsync(app, "PROPFIND", "/declared");

        (await app.GetCountsAsync((3 * AllMethods.Length) + 3)).Should().Equal(
            ("GET", "(no endpoint)", 1), ("POST", "(no endpoint)", 1), ("_OTHER", "(no endpoint)", 8),
            ("GET", "(unhandled)", 1), ("POST", "(unhandled)", 1), ("_OTHER", "(unhandled)", 8),
            ("GET", "/any", 1), ("POST", "/any", 1), ("_OTHER", "/any", 8),
            ("PATCH", "/declared", 1), ("PUT", "/declared", 1), ("_OTHER", "/declared", 1));
    }

    [Theory]
    [InlineData(6)]
    [InlineData(60)]
    public async Task Clients_cannot_displace_the_methods_that_endpoints_declare(int maxRoutes)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                for (int i = 0; i < 30; i++)
                {
                    web.Map($"/any{i}", () => "any");
                }

                web.MapGet("/get", () => "get");
                web.MapMethods("/both", ["PUT", "DELETE"], () => "both");
            },
            options => options.Requests.MaxRoutes = maxRoutes);
        for (int i = 0; i < 30; i++)
        {
            foreach (string method in AllMethods)
            {
                await SendAsync(app, method, $"/any{i}");
            }
        }

        foreach (string method in AllMethods)
        {
            await SendAsync(app, method, "/missing");
        }

        await SendAsync(app, "GET", "/get");
        await SendAsync(app, "PUT", "/both");
        await SendAsync(app, "DELETE", "/both");

        IReadOnlyList<(string, string, ulong)> rows = await app.GetCountsAsync((31 * AllMethods.Length) + 3);
        rows.Should().Contain([("GET", "/get", 1), ("PUT", "/both", 1), ("DELETE", "/both", 1)]);
        rows.Should().HaveCount(maxRoutes + 1, "the other rows are those of the first requests, and one for (other)");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Thirty_endpoints_for_all_methods_do_not_fill_the_table()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            for (int i = 0; i < 30; i++)
            {
                web.Map($"/any{i}", () => "any");
            }
        });
        for (int i = 0; i < 30; i++)
        {
            foreach (string method in AllMethods)
            {
                await SendAsync(app, method, $"/any{i}");
            }
        }

        (await app.GetCountsAsync(30 * AllMethods.Length)).Should().HaveCount(30 * 3).And.NotContain(row => row.Route == "(other)");
    }

    [Fact]
    public async Task A_missing_page_in_a_branch_is_not_counted_for_the_error_page()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.UseStatusCodePagesWithReExecute("/status/{0}");
            web.Map("/sub", branch => branch.UseRouting().UseEndpoints(routes => routes.MapGet("/known", () => Results.NotFound())));
            web.UseRouting();
            web.MapGet("/status/{code}", (int code) => $"status {code}");
        });
        foreach (string path in new[] { "/sub/nosuch", "/sub/known", "/nosuch" })
        {
            (await (await app.Client.GetAsync(path)).Content.ReadAsStringAsync()).Should().Be("status 404");
        }

        (await app.GetCountsAsync(3)).Should().Equal(("GET", "(unhandled)", 2), ("GET", "/sub/known", 1));
    }

    [Fact]
    public async Task Every_pattern_starts_with_one_slash()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapGet("without/{id}", (string id) => id);
            web.MapPost("/without/{id}", (string id) => id);
            web.MapGet("~/tilde", () => "tilde");
            web.MapGet("", () => "root");
            web.MapGroup("group").MapGet("x", () => "x");
        });
        foreach (string path in new[] { "/without/1", "/tilde", "/", "/group/x" })
        {
            (await app.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.OK, path);
        }

        await app.Client.PostAsync("/without/1", null);

        (await app.GetCountsAsync(5)).Should().Equal(
            ("GET", "/", 1), ("GET", "/group/x", 1), ("GET", "/tilde", 1), ("GET", "/without/{id}", 1), ("POST", "/without/{id}", 1));
    }

    [Fact]
    public async Task Conventional_routes_have_a_row_for_each_action()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapControllerRoute("default", "{controller=Home}/{action=Index}/{id?}"),
            build: builder => builder.Services.AddControllers().AddApplicationPart(typeof(RowTests).Assembly)
                .ConfigureApplicationPartManager(parts => parts.FeatureProviders.Add(new TestControllers())));
        foreach (string path in new[] { "/", "/home/index/7", "/Home/Other", "/Home/Other/8" })
        {
            (await app.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.OK, path);
        }

        (await app.GetCountsAsync(4)).Should().Equal(("GET", "/Home/Index/{id?}", 2), ("GET", "/Home/Other/{id?}", 2));
    }

    [Fact]
    public async Task Redirects_and_responses_of_middleware_have_no_endpoint()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UseHealthChecks("/health");
                web.Use((context, next) =>
                {
                    if (context.Request.Path != "/old")
                    {
                        return next(context);
                    }

                    context.Response.Redirect("/new");
                    return Task.CompletedTask;
                });
                web.MapGet("/new", () => "new");
            },
            build: builder => builder.Services.AddHealthChecks());
        await app.Client.GetAsync("/health");
        await app.Client.GetAsync("/old");
        await app.Client.GetAsync("/nosuch");

        (await app.GetCountsAsync(4)).Should().Equal(("GET", "(no endpoint)", 2), ("GET", "(unhandled)", 1), ("GET", "/new", 1));
    }

    [Fact]
    public async Task Earlier_middleware_sees_the_endpoint_in_the_feature_of_the_server()
    {
        List<(string? Endpoint, bool IsOwn)> seen = [];
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.Use(async (context, next) =>
                {
                    object? own = context.Features.Get<IEndpointFeature>();
                    await next(context);
                    seen.Add((context.GetEndpoint()?.DisplayName, ReferenceEquals(context.Features.Get<IEndpointFeature>(), own)));
                });
                web.UsePicollo();
                web.UseRouting();
                web.MapGet("/items/{id}", (string id) => id).WithDisplayName("items");
            },
            measureAll: false);
        await app.Client.GetStringAsync("/items/1");
        await app.GetCountsAsync(1);
        await app.Client.GetStringAsync("/items/2");
        await app.GetCountsAsync(2);

        seen.Should().Equal(("items", true), ("items", true));
    }

    [Fact]
    public async Task Endpoints_without_metrics_are_not_counted()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapGet("/hidden", () => "hidden").DisableHttpMetrics();
            web.MapGet("/shown", () => "shown");
        });
        await app.Client.GetStringAsync("/hidden");
        await app.Client.GetStringAsync("/shown");

        (await app.GetCountsAsync(1)).Should().Equal(("GET", "/shown", 1));
    }

    private static readonly string[] AllMethods = ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "BREW"];

    private static async Task SendAsync(RequestApp app, string method, string path)
    {
        using HttpRequestMessage request = new(new HttpMethod(method), path);
        using HttpResponseMessage response = await app.Client.SendAsync(request);
    }

    private sealed class TestControllers : Microsoft.AspNetCore.Mvc.Controllers.ControllerFeatureProvider
    {
        protected override bool IsController(System.Reflection.TypeInfo typeInfo) => typeInfo == typeof(HomeController);
    }

    private sealed class HomeController : ControllerBase
    {
        public ContentResult Index(string? id) => Content($"index {id}");

        public ContentResult Other(string? id) => Content($"other {id}");
    }
}
