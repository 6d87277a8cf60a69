using BlazorApp;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseStaticWebAssets(); // the program runs from its build output folder
builder.Services.AddPicollo();
builder.Services.AddRazorComponents().AddInteractiveServerComponents();
WebApplication app = builder.Build();
app.UsePicollo();
app.UseAntiforgery();
app.MapStaticAssets();
app.MapPicollo().AllowAnonymous();
app.MapRazorComponents<App>().AddInteractiveServerRenderMode();
app.Run();
