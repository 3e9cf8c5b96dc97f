package dev.millrace.bench.server;

import com.google.protobuf.CodedOutputStream;
import dev.millrace.bench.nets.SmallSum;
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
                .maxInboundMessageSize(Integer.MAX_VALUE)
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
        return request(ServedFolder.SUM, SmallSum.LENGTH, "a", "b");
    }

    /** Returns a request that the model of so many floats answers. */
    static byte[] floats(int length) throws IOException {
        return request(ServedFolder.floatsName(length), length, "x");
    }

    /** Returns a request whose inputs are so many floats each. */
    private static byte[] request(String model, int length, String... inputs) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var message = CodedOutputStream.newInstance(bytes);
        message.writeString(MODEL_NAME, model);
        for (String input : inputs) {
            message.writeByteArray(INPUTS, input(input, length));
        }
        for (int i = 0; i < inputs.length; i++) {
            message.writeByteArray(RAW_INPUTS, new byte[length * Float.BYTES]);
        }
        message.flush();
        return bytes.toByteArray();
    }

    private static byte[] input(String name, int length) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var input = CodedOutputStream.newInstance(bytes);
        input.writeString(INPUT_NAME, name);
        input.writeString(INPUT_TYPE, "FP32");
        input.writeInt64(INPUT_EXTENT, length);
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
