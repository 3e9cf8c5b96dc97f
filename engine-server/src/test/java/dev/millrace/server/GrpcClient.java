package dev.millrace.server;

import com.google.protobuf.Message;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelStreamInferResponse;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A client of the server's gRPC port. */
final class GrpcClient implements AutoCloseable {
    private final ManagedChannel channel;

    GrpcClient(ModelServer server) {
        this(server.grpcPort());
    }

    GrpcClient(int port) {
        channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .build();
    }

    ManagedChannel channel() {
        return channel;
    }

    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
            String name, MethodType type, Q request, A answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(type)
                .setFullMethodName("inference.GRPCInferenceService/" + name)
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(answer))
                .build();
    }

    @SuppressWarnings("unchecked") // a message's default is of its type
    <Q extends Message, A extends Message> A call(String name, Q request, A answer) {
        var method = method(name, MethodType.UNARY, (Q) request.getDefaultInstanceForType(), answer);
        return ClientCalls.blockingUnaryCall(
                channel, method, CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS), request);
    }

    @SuppressWarnings("unchecked") // a message's default is of its type
    <Q extends Message, A extends Message> A call(String name, Q request, A answer, long millis, String token) {
        var headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        var with = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
        var method = method(name, MethodType.UNARY, (Q) request.getDefaultInstanceForType(), answer);
        return ClientCalls.blockingUnaryCall(
                with, method, CallOptions.DEFAULT.withDeadlineAfter(millis, TimeUnit.MILLISECONDS), request);
    }

    /** Calls with the header of a trace. */
    @SuppressWarnings("unchecked") // a message's default is of its type
    <Q extends Message, A extends Message> A call(String name, Q request, A answer, String trace) {
        var headers = new Metadata();
        headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), trace);
        var with = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
        var method = method(name, MethodType.UNARY, (Q) request.getDefaultInstanceForType(), answer);
        return ClientCalls.blockingUnaryCall(
                with, method, CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS), request);
    }

    <Q extends Message, A extends Message> StreamObserver<Q> exchange(
            String name, Q request, A answer, StreamObserver<A> answers) {
        var method = method(name, MethodType.BIDI_STREAMING, request, answer);
        return ClientCalls.asyncBidiStreamingCall(channel.newCall(method, CallOptions.DEFAULT), answers);
    }

    /** Opens an exchange of inferences with these headers. */
    StreamObserver<ModelInferRequest> stream(
            StreamObserver<ModelStreamInferResponse> answers, Map<String, String> headers) {
        var metadata = new Metadata();
        headers.forEach((name, value) -> metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
        var with = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
        var method = method(
                "ModelStreamInfer",
                MethodType.BIDI_STREAMING,
                ModelInferRequest.getDefaultInstance(),
                ModelStreamInferResponse.getDefaultInstance());
        return ClientCalls.asyncBidiStreamingCall(with.newCall(method, CallOptions.DEFAULT), answers);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            channel.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
