using Microsoft.Extensions.DependencyInjection;

namespace Picollo.AspNetCore;

/// <summary>What <c>AddPicollo()</c> returns, for extension methods that add more of Picollo to an application.</summary>
public interface IPicolloBuilder
{
    /// <summary>The application's services.</summary>
    IServiceCollection Services { get; }
}
