using System.Security.Cryptography;
using System.Text;
using Picollo.AspNetCore.Page;

namespace Picollo.AspNetCore.Tests.Page;

public class PageAssetsTests
{
    [Fact]
    public void The_content_security_policy_has_the_hashes_of_style_and_script()
    {
        PageAssets.ContentSecurityPolicy.Should()
            .Contain($"style-src '{HashOf(PageAssets.Style)}'").And.Contain($"script-src '{HashOf(PageAssets.Script)}'");
        PageAssets.TokenPagePolicy.Should()
            .Contain($"style-src '{HashOf(PageAssets.Style)}'").And.Contain($"script-src '{HashOf(PageAssets.TokenScript)}'");
    }

    [Fact]
    public void The_content_security_policy_allows_nothing_else()
    {
        foreach (string policy in new[] { PageAssets.ContentSecurityPolicy, PageAssets.TokenPagePolicy })
        {
            policy.Should().StartWith("default-src 'none'; ").And.NotContain("unsafe").And.Contain("frame-ancestors 'none'").And.Contain("base-uri 'none'");
        }
    }

    private static string HashOf(string text) => "sha256-" + Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(text)));
}
