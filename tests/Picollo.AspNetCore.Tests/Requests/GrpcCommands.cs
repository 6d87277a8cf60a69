using System.Text;
using Grpc.Core;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>A gRPC service that executes the commands of its client.</summary>
/// <param name="steps">Synchronizes the commands that wait.</param>
internal sealed class GrpcCommands(Steps steps) : GrpcCommandsBase
{
    public override async Task<string> Unary(string command, ServerCallContext context)
    {
        switch (command.Split(' '))
        {
            case ["fail", var code]:
                throw new RpcException(new Status((StatusCode)int.Parse(code, CultureInfo.InvariantCulture), "failed"));
            case ["status", var code]:
                context.Status = new Status((StatusCode)int.Parse(code, CultureInfo.InvariantCulture), "failed");
                break;
            case ["throw"]:
                throw new InvalidOperationException("thrown");
            case ["wait"]:
                _ = steps.NextAsync();
                await Task.Delay(Timeout.Infinite, context.CancellationToken);
                break;
            case ["wait", "and", "return"]:
                TaskCompletionSource canceled = new();
                using (context.CancellationToken.Register(() => canceled.SetResult()))
                {
                    _ = steps.NextAsync();
                    await canceled.Task;
                }

                break;
        }

        return command;
    }

    public override async Task Stream(string command, IServerStreamWriter<string> responses, ServerCallContext context)
    {
        await responses.WriteAsync("first");
        await responses.WriteAsync("second");
        await Unary(command, context);
    }
}

/// <summary>The base class of the service, which declares its methods.</summary>
[BindServiceMethod(typeof(GrpcMethods), nameof(GrpcMethods.Bind))]
internal abstract class GrpcCommandsBase
{
    public abstract Task<string> Unary(string command, ServerCallContext context);

    public abstract Task Stream(string command, IServerStreamWriter<string> responses, ServerCallContext context);
}

/// <summary>The methods of the service, as in the output of the gRPC compiler.</summary>
internal static class GrpcMethods
{
    private static readonly Marshaller<string> Text = new(Encoding.UTF8.GetBytes, Encoding.UTF8.GetString);

    public static readonly Method<string, string> Unary = new(MethodType.Unary, "test.Commands", "Unary", Text, Text);

    public static readonly Method<string, string> Stream = new(MethodType.ServerStreaming, "test.Commands", "Stream", Text, Text);

    public static readonly Method<string, string> Missing = new(MethodType.Unary, "test.Commands", "Missing", Text, Text);

    public static void Bind(ServiceBinderBase binder, GrpcCommandsBase? service)
    {
        binder.AddMethod(Unary, service is null ? null : new UnaryServerMethod<string, string>(service.Unary));
        binder.AddMethod(Stream, service is null ? null : new ServerStreamingServerMethod<string, string>(service.Stream));
    }
}
