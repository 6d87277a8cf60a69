using BlazorApp;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseStaticWebAssets(); // it is run from the folder that it was built into
builder.Services.AddPicollo();
builder.Services.AddRazorComponents().AddInteractiveServerComponents();
WebApplication app = builder.Build();
app.UsePicollo();
app.UseAntiforgery();
app.MapStaticAssets();
app.MapPicollo().AllowAnonymous();
app.MapRazorComponents<App>().AddInteractiveServerRenderMode();
app.Run();
