using System.Security.Cryptography;
using System.Text;
using Picollo.AspNetCore.Page;

namespace Picollo.AspNetCore.Tests.Page;

public class PolicyTests
{
    [Fact]
    public void The_content_security_policy_has_the_hashes_of_style_and_script()
    {
        PageDocument.ContentSecurityPolicy.Should()
            .Contain($"style-src '{HashOf(HtmlAssets.Style)}'").And.Contain($"script-src '{HashOf(HtmlAssets.Script)}'");
        TokenPage.ContentSecurityPolicy.Should()
            .Contain($"style-src '{HashOf(HtmlAssets.Style)}'").And.Contain($"script-src '{HashOf(HtmlAssets.TokenScript)}'");
    }

    [Fact]
    public void The_content_security_policy_allows_nothing_else()
    {
        foreach (string policy in new[] { PageDocument.ContentSecurityPolicy, TokenPage.ContentSecurityPolicy })
        {
            policy.Should().StartWith("default-src 'none'; ").And.NotContain("unsafe").And.Contain("frame-ancestors 'none'").And.Contain("base-uri 'none'");
        }
    }

    private static string HashOf(string text) => "sha256-" + Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(text)));
}
