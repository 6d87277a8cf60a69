using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.StaticAssets;
using Microsoft.Extensions.FileProviders;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the rows for which requests are counted. The names of rows come from the application's code, never from a request.</summary>
public sealed class RowTests
{
    private static readonly string[] AllMethods = ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "BREW"];

    [Fact]
    public async Task Rows_have_the_method_and_the_pattern_with_one_slash_at_the_start()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapGet("", () => "root");
            web.MapPost("/", () => "root");
            web.MapGet("without/{id:int}", async (int id) =>
            {
                await Task.Delay(1);
                return id;
            });
            web.MapPost("/without/{id:int}", (int id) => id);
            web.MapGet("~/tilde", () => "tilde");
            web.MapGroup("group").MapGet("{name}", (string name) => name);
            web.MapFallback("/files/{*path}", () => "file");
            web.MapMethods("/any", ["BREW", "GET"], () => "any");
            web.MapGet("/hidden", () => "hidden").DisableHttpMetrics();
        });
        await app.SendAsync("/hidden");

        (await app.CountsAfterAsync(
            "/", "POST /", "/without/1", "/without/2", "POST /without/1", "/tilde", "/group/x", "PUT /files/secret", "BREW /any",
            "DELETE /any", "/missing/secret", "FROB /missing")).Should().BeEquivalentTo(
            new (string, string, ulong)[]
            {
                ("GET", "/", 1), ("POST", "/", 1), ("GET", "/without/{id:int}", 2), ("POST", "/without/{id:int}", 1), ("GET", "/tilde", 1),
                ("GET", "/group/{name}", 1), ("_OTHER", "/files/{*path}", 1), ("_OTHER", "/any", 1), ("_OTHER", "(no endpoint)", 1),
                ("GET", "(unhandled)", 1), ("_OTHER", "(unhandled)", 1),
            });
    }

    [Fact]
    public async Task Static_files_and_assets_share_a_row_and_a_file_that_is_an_error_page_is_counted_for_the_failed_route()
    {
        string files = Directory.CreateTempSubdirectory("picollo-files-").FullName;
        try
        {
            Array.ForEach(["index.html", "site.css"], name => File.WriteAllText(Path.Combine(files, name), name));
            await using RequestApp app = await RequestApp.StartAsync(
                web =>
                {
                    web.UseStatusCodePagesWithReExecute("/index.html");
                    web.UseStaticFiles();
                    web.UseRouting();
                    web.MapGet("/none", () => Results.NotFound());
                    StaticAssetDescriptor asset = new() { Route = "", AssetPath = "" };
                    Array.ForEach([1, 2], i => web.MapGet($"/lib/{i}.js", () => "asset").WithMetadata(asset));
                    web.MapFallbackToFile("index.html");
                },
                build: builder => builder.Environment.WebRootFileProvider = new PhysicalFileProvider(files));

            (await app.CountsAfterAsync("/site.css", "/some/page", "/lib/1.js", "/lib/2.js", "/none")).Should()
                .Equal(("GET", "(static files)", 4), ("GET", "/none", 1));
        }
        finally
        {
            Directory.Delete(files, recursive: true);
        }
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
                web.Map("/second", branch => branch.Map("/inner", MapItem));
                web.UseWhen(context => context.Request.Query.ContainsKey("when"), branch => branch.Map("/third", inner => inner
                    .Map("/deep", deep => deep.Run(context => context.Response.WriteAsync("deep")))
                    .Run(context => context.Response.WriteAsync("third"))));
                web.MapWhen(context => context.Request.Query.ContainsKey("that"), branch => branch.Map("/fourth", inner => inner.Run(
                    context => context.Response.WriteAsync("fourth"))));
                web.Map("/fifth/deep", branch => branch.Run(context => context.Response.WriteAsync("deep")));
                web.Map("/fifth", branch => branch.Run(context => context.Response.WriteAsync("fifth")));
            },
            measureAll: all);

        (await app.CountsAfterAsync(
            "/first/items/1", "/FIRST/items/2", "/first", "/second/inner/x/3", "/third/x?when", "/third/deep?when", "/fourth?that",
            "/fifth/deep/x", "/fifth/x")).Should().Equal(
            ("GET", "/fifth (no endpoint)", 1), ("GET", "/fifth/deep (no endpoint)", 1), ("GET", "/first", 1),
            ("GET", "/first/items/{id}", 2), ("GET", "/fourth (no endpoint)", 1), ("GET", "/second/inner/x/{id}", 1),
            ("GET", "/third (no endpoint)", 1), ("GET", "/third/deep (no endpoint)", 1));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Routes_have_the_prefixes_of_branches_but_not_the_paths_of_UsePathBase(bool isOutside)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                _ = isOutside ? web.UsePathBase("/base").UsePicollo() : web.UsePicollo().UsePathBase("/base");
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

        (await app.CountsAfterAsync(
            "/sub/x/1", "/base/sub/x/1", "/BASE/Sub/x/1", "/outer/inner/x/1", "/base/outer/inner/x/1", "/late/x/1", "/late/more/x/1",
            "/base/late/MORE/x/1", "/when/x/1?when", "/base/when/x/1?when", "/run/x?run", "/base/run/x?run", "/plain/1", "/base/plain/1"))
            .Should().Equal(
                ("GET", "/late/x/{id}", 3), ("GET", "/outer/inner/x/{id}", 2), ("GET", "/plain/{id}", 2), ("GET", "/run (no endpoint)", 2),
                ("GET", "/sub/x/{id}", 3), ("GET", "/when/x/{id}", 2));
    }

    [Fact]
    public async Task Many_paths_of_UsePathBase_of_which_one_equals_the_prefix_of_a_branch_are_not_part_of_a_row()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.UsePathBase("/api");
            for (int i = 0; i < 40; i++)
            {
                web.UsePathBase($"/base{i}");
            }

            web.Map("/api", MapItem);
            web.Map("/sub", MapItem);
            MapItem(web);
        });

        (await app.CountsAfterAsync("/x/1", "/api/x/1", "/api/api/x/1", "/sub/x/1", "/base7/sub/x/1", "/base7/base39/sub/x/1")).Should()
            .Equal(("GET", "/api/x/{id}", 1), ("GET", "/sub/x/{id}", 3), ("GET", "/x/{id}", 2));
    }

    [Fact]
    public async Task A_base_path_from_request_data_is_not_part_of_a_row()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.Use((context, next) =>
            {
                string[] parts = context.Request.Path.Value!.Split('/', 3);
                (context.Request.PathBase, context.Request.Path) = ("/" + parts[1], "/" + parts[2]);
                return next(context);
            });
            web.Map("/sub", MapItem);
            MapItem(web);
        });

        string[] paths = [.. Enumerable.Range(0, 20).SelectMany(i => new[] { $"/tenant{i}/x/1", $"/tenant{i}/sub/x/1" })];
        (await app.CountsAfterAsync(paths)).Should()
            .Equal(("GET", "/sub/x/{id}", 20), ("GET", "/x/{id}", 20));
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

        (await app.CountsAfterAsync(
            [
                .. OfAllMethods("/any"), .. OfAllMethods("/early"), .. OfAllMethods("/missing"),
                "PUT /declared", "PATCH /declared", "PROPFIND /declared",
            ]))
            .Should().Equal(
                ("GET", "(no endpoint)", 1), ("POST", "(no endpoint)", 1), ("_OTHER", "(no endpoint)", 8),
                ("GET", "(unhandled)", 1), ("POST", "(unhandled)", 1), ("_OTHER", "(unhandled)", 8),
                ("GET", "/any", 1), ("POST", "/any", 1), ("_OTHER", "/any", 8),
                ("PATCH", "/declared", 1), ("PUT", "/declared", 1), ("_OTHER", "/declared", 1));
    }

    [Fact]
    public async Task Clients_cannot_displace_the_methods_that_endpoints_declare()
    {
        const int MaxRoutes = 6;
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                Array.ForEach([0, 1, 2, 3, 4], i => web.Map($"/any{i}", () => "any"));
                web.MapGet("/get", () => "get");
                web.MapMethods("/both", ["PUT", "DELETE"], () => "both");
            },
            options => options.Requests.MaxRoutes = MaxRoutes);

        IReadOnlyList<(string, string, ulong)> rows = await app.CountsAfterAsync(
            [
                .. Enumerable.Range(0, 5).SelectMany(i => OfAllMethods($"/any{i}")), .. OfAllMethods("/missing"),
                "/get", "PUT /both", "DELETE /both",
            ]);
        rows.Should().Contain([("GET", "/get", 1), ("PUT", "/both", 1), ("DELETE", "/both", 1)]);
        rows.Should().HaveCount(MaxRoutes + 1, "the other rows are those of the first requests, and one for (other)");
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

        (await app.CountsAfterAsync("/sub/nosuch", "/sub/known", "/nosuch")).Should()
            .Equal(("GET", "(unhandled)", 2), ("GET", "/sub/known", 1));
    }

    [Fact]
    public async Task Conventional_routes_have_a_row_for_each_action()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapControllerRoute("default", "{controller=Home}/{action=Index}/{id?}"),
            build: builder => builder.Services.AddControllers().AddApplicationPart(typeof(RowTests).Assembly)
                .ConfigureApplicationPartManager(parts => parts.FeatureProviders.Add(new TestControllers())));

        (await app.CountsAfterAsync("/", "/home/index/7", "/Home/Other", "/Home/Other/8")).Should()
            .Equal(("GET", "/Home/Index/{id?}", 2), ("GET", "/Home/Other/{id?}", 2));
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
        await app.CountsAfterAsync("/items/1");
        await app.StopAsync();

        seen.Should().Equal(("items", true));
    }

    private static void MapItem(IApplicationBuilder branch) =>
        branch.UseRouting().UseEndpoints(routes => routes.MapGet("/x/{id}", (string id) => id));

    private static IEnumerable<string> OfAllMethods(string path) => AllMethods.Select(method => $"{method} {path}");

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
