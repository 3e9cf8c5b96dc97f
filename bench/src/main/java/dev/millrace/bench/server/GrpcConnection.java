package dev.millrace.bench.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A channel of gRPC that sends inferences, whose messages are bytes to it. */
final class GrpcConnection implements AutoCloseable {
    private static final String METHOD = "inference.GRPCInferenceService/ModelInfer";
    private static final int CLOSING_SECONDS = 5;

    // the fields of the protocol's messages
    private static final int MODEL_NAME = 1;
    private static final int INPUTS = 5;
    private static final int RAW_INPUTS = 7;
    private static final int INPUT_NAME = 1;
    private static final int INPUT_TYPE = 2;
    private static final int INPUT_EXTENT = 3;

    private static final MethodDescriptor<byte[], byte[]> INFER = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(METHOD)
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Bytes())
            .build();

    private final ManagedChannel channel;

    GrpcConnection(int port) {
        channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .directExecutor()
                .build();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Returns a request that adds 8 floats to 8 floats. */
    static byte[] sum() throws IOException {
        var bytes = new ByteArrayOutputStream();
        var message = CodedOutputStream.newInstance(bytes);
        message.writeString(MODEL_NAME, ServedFolder.SUM);
        for (String input : List.of("a", "b")) {
            message.writeByteArray(INPUTS, input(input));
        }
        for (int i = 0; i < 2; i++) {
            message.writeBytes(RAW_INPUTS, ByteString.copyFrom(new byte[8 * Float.BYTES]));
        }
        message.flush();
        return bytes.toByteArray();
    }

    private static byte[] input(String name) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var input = CodedOutputStream.newInstance(bytes);
        input.writeString(INPUT_NAME, name);
        input.writeString(INPUT_TYPE, "FP32");
        input.writeInt64(INPUT_EXTENT, 8);
        input.flush();
        return bytes.toByteArray();
    }

    byte[] ask(byte[] request) {
        return ClientCalls.blockingUnaryCall(channel, INFER, CallOptions.DEFAULT, request);
    }

    @Override
    public void close() throws InterruptedException {
        channel.shutdownNow();
        channel.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS);
    }
}
