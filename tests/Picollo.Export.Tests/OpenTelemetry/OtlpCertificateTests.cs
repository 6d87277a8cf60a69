using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Picollo.Export.Tests;

/// <summary>Tests TLS with certificates of the environment variables, against a receiver that requires a certificate of the client.</summary>
public sealed class OtlpCertificateTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-tls-").FullName;
    private readonly Dictionary<string, string> _variables = [];
    private readonly Authority _authority = new("first");
    private readonly HdrHistogramRegistry _registry = new();

    public OtlpCertificateTests()
    {
        _registry.GetOrAdd("x", HdrHistogram.Create).Record(1);
        Write("CERTIFICATE", _authority.Pem);
        WriteClient(_authority);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Values_arrive_if_both_sides_trust_each_other(bool isGrpc)
    {
        await using OtlpReceiver receiver = await StartAsync(_authority, isGrpc);
        await using OtlpExporter exporter = Exporter(receiver, isGrpc);

        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);

        receiver.Points.Should().ContainSingle();
    }

    [Fact]
    public async Task A_receiver_of_another_authority_is_not_trusted()
    {
        await using OtlpReceiver receiver = await StartAsync(new Authority("other"));
        const string NotTrusted = "SecureConnectionError; the receiver may not use TLS, or its certificate may not be trusted";
        await FailsAsync(receiver, NotTrusted);
        _variables.Remove("OTEL_EXPORTER_OTLP_CERTIFICATE");
        await using OtlpReceiver own = await StartAsync(_authority);
        await FailsAsync(own, NotTrusted);
    }

    [Fact]
    public async Task The_receiver_gets_the_certificates_between_the_client_and_the_root()
    {
        Authority middle = new("middle", _authority);
        (string certificate, string key) = middle.Issue("client");
        Write("CLIENT_CERTIFICATE", certificate + middle.Pem);
        Write("CLIENT_KEY", key);
        await using OtlpReceiver receiver = await StartAsync(_authority);
        await using OtlpExporter exporter = Exporter(receiver);

        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);
    }

    [Fact]
    public async Task Renewed_files_are_used_without_a_restart()
    {
        Authority second = new("second");
        await using OtlpReceiver first = await StartAsync(_authority);
        Uri address = first.Address;
        await using OtlpExporter exporter = Exporter(first);
        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);
        await first.DisposeAsync();

        await using OtlpReceiver renewed = await StartAsync(second, address: address);
        Write("CLIENT_CERTIFICATE", "");
        (await exporter.FlushAsync()).Should().BeFalse("the files are being written");
        exporter.LastError!.Message.Should().Contain(" of OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE does not contain a valid certificate in PEM.");
        Write("CERTIFICATE", second.Pem);
        WriteClient(second);

        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);
        renewed.Points.Should().ContainSingle();
    }

    [Fact]
    public async Task A_link_to_a_renewed_file_is_followed_as_in_Kubernetes()
    {
        foreach ((string version, string pem) in new[] { ("1", new Authority("other").Pem), ("2", _authority.Pem) })
        {
            File.WriteAllText(Path.Combine(Directory.CreateDirectory(Path.Combine(_folder, version)).FullName, "ca.pem"), pem);
        }

        string data = Path.Combine(_folder, "..data");
        Directory.CreateSymbolicLink(data, "1");
        File.CreateSymbolicLink(Path.Combine(_folder, "ca.pem"), "..data/ca.pem");
        _variables["OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE"] = Path.Combine(_folder, "ca.pem");
        await using OtlpReceiver receiver = await StartAsync(_authority);
        ManualTime time = new(DateTimeOffset.UtcNow);
        await using OtlpExporter exporter = Exporter(receiver, time: time);
        Task<bool> flush = exporter.FlushAsync();
        await OtlpTests.AdvanceAsync(flush, time);
        (await flush).Should().BeFalse("the receiver is of another authority");

        Directory.Delete(data);
        Directory.CreateSymbolicLink(data, "2");

        flush = exporter.FlushAsync();
        await OtlpTests.AdvanceAsync(flush, time);
        (await flush).Should().BeTrue(exporter.LastError?.Message);
    }

    [Fact]
    public async Task The_certificates_are_used_after_a_request_without_a_response()
    {
        await using OtlpReceiver receiver = await StartAsync(_authority);
        receiver.Answer(context => Task.Delay(Timeout.Infinite, context.RequestAborted).ContinueWith(_ => { }, TaskScheduler.Default));
        ManualTime time = new(DateTimeOffset.UtcNow);
        await using OtlpExporter exporter = Exporter(receiver, time: time);
        Task<bool> flush = exporter.FlushAsync();
        await receiver.WaitAsync();
        time.Advance(TimeSpan.FromSeconds(5));
        (await flush).Should().BeFalse();

        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);
    }

    [Fact]
    public async Task A_problem_with_a_file_has_a_clear_error_and_the_next_export_reads_the_file_again()
    {
        await using OtlpReceiver receiver = await StartAsync(_authority);
        (string certificate, string key) = _authority.Issue("client");
        using RSA other = RSA.Create();
        using ECDsa encrypted = ECDsa.Create();
        PbeParameters encryption = new(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1_000);
        foreach ((string name, string? text, string fault) in new[]
        {
            ("CERTIFICATE", null, "does not exist"),
            ("CERTIFICATE", "", "does not contain a valid certificate in PEM"),
            ("CERTIFICATE", key, "does not contain a valid certificate in PEM"),
            ("CLIENT_CERTIFICATE", null, "does not exist"),
            ("CLIENT_CERTIFICATE", certificate[..100], "does not contain a valid certificate in PEM"),
            ("CLIENT_KEY", null, "does not exist"),
            ("CLIENT_KEY", other.ExportPkcs8PrivateKeyPem(), "is not a private key in PEM that belongs to the certificate of the client"),
            ("CLIENT_KEY", certificate, "is not a private key in PEM that belongs to the certificate of the client"),
            ("CLIENT_KEY", encrypted.ExportEncryptedPkcs8PrivateKeyPem("secret", encryption), "is encrypted; a private key without a password is required"),
            ("CLIENT_KEY", "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n", "is encrypted; a private key without a password is required"),
        })
        {
            string file = _variables["OTEL_EXPORTER_OTLP_" + name];
            string valid = File.ReadAllText(file);
            if (text is null)
            {
                File.Delete(file);
            }
            else
            {
                Write(name, text);
            }

            await using OtlpExporter exporter = Exporter(receiver);
            (await exporter.FlushAsync()).Should().BeFalse();
            exporter.LastError!.Message.Should().Be($"The export to {receiver.Endpoint} failed: the file '{file}' of OTEL_EXPORTER_OTLP_{name} {fault}.");
            Write(name, valid);
            (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);
        }
    }

    private static Task<OtlpReceiver> StartAsync(Authority authority, bool isGrpc = false, Uri? address = null)
    {
        X509Certificate2 server = authority.IssueServer();
        return OtlpReceiver.StartAsync(address?.ToString() ?? "https://127.0.0.1:0", isGrpc, tls =>
        {
            tls.ServerCertificate = server;
            tls.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
            tls.ClientCertificateValidation = (client, chain, _) =>
            {
                chain!.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
                chain.ChainPolicy.CustomTrustStore.Add(authority.Certificate);
                chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
                return chain.Build(client);
            };
        });
    }

    // All files have the same time, as on file systems with coarse times.
    private void Write(string name, string text)
    {
        string path = Path.Combine(_folder, name + ".pem");
        File.WriteAllText(path, text);
        File.SetLastWriteTimeUtc(path, DateTime.UnixEpoch);
        _variables["OTEL_EXPORTER_OTLP_" + name] = path;
    }

    private void WriteClient(Authority authority)
    {
        (string certificate, string key) = authority.Issue("client");
        Write("CLIENT_CERTIFICATE", certificate);
        Write("CLIENT_KEY", key);
    }

    private OtlpExporter Exporter(OtlpReceiver receiver, bool isGrpc = false, TimeProvider? time = null)
    {
        OtlpExportOptions options = new() { Endpoint = receiver.Endpoint, UseGrpc = isGrpc, Interval = TimeSpan.FromDays(1), TimeProvider = time ?? TimeProvider.System };
        return new(() => _registry.Registrations, options, _variables.GetValueOrDefault, null);
    }

    private async Task FailsAsync(OtlpReceiver receiver, string fault)
    {
        ManualTime time = new(DateTimeOffset.UtcNow);
        await using OtlpExporter exporter = Exporter(receiver, time: time);
        Task<bool> flush = exporter.FlushAsync();
        (await OtlpTests.AdvanceAsync(flush, time)).Should().HaveCount(2, "it is retried");
        (await flush).Should().BeFalse();
        exporter.LastError!.Message.Should().Be($"The export to {receiver.Endpoint} failed: {fault}.");
        receiver.Requests.Should().BeEmpty();
        await OtlpTests.AdvanceAsync(exporter.DisposeAsync().AsTask(), time);
    }

    /// <summary>An authority that issues certificates.</summary>
    private sealed class Authority
    {
        private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);

        public Authority(string name, Authority? parent = null)
        {
            CertificateRequest request = new($"CN={name}", _key, HashAlgorithmName.SHA256);
            request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
            request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, false));
            Certificate = parent is null
                ? request.CreateSelfSigned(Start, End)
                : request.Create(parent.Certificate, Start, End, Guid.NewGuid().ToByteArray()).CopyWithPrivateKey(_key);
        }

        public X509Certificate2 Certificate { get; }

        public string Pem => Certificate.ExportCertificatePem() + "\n";

        private static DateTimeOffset Start => DateTimeOffset.UtcNow.AddDays(-1);

        private static DateTimeOffset End => DateTimeOffset.UtcNow.AddDays(1);

        public (string Certificate, string Key) Issue(string name)
        {
            using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
            CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
            SubjectAlternativeNameBuilder names = new();
            names.AddIpAddress(IPAddress.Loopback);
            request.CertificateExtensions.Add(names.Build());
            using X509Certificate2 certificate = request.Create(Certificate, Start, End.AddHours(-1), Guid.NewGuid().ToByteArray());
            return (certificate.ExportCertificatePem() + "\n", key.ExportPkcs8PrivateKeyPem());
        }

        public X509Certificate2 IssueServer()
        {
            (string certificate, string key) = Issue("server");
            using X509Certificate2 ephemeral = X509Certificate2.CreateFromPem(certificate, key);
            return X509CertificateLoader.LoadPkcs12(ephemeral.Export(X509ContentType.Pkcs12), null);
        }
    }
}
